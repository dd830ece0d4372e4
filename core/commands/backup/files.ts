import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { getAddressFile, dumpChain } from '../../embedded/anvil.state.ts'
import { ArchiveError, syncFolder, type ArchiveWriter } from './archive.ts'

/** The paths that an archive may contain: the saved development chain, and content stored under its identifier. */
const allowedPath = /^(anvil\/state\.json|ipfs\/[a-z2-7]{2}\/b[a-z2-7]{58,120})$/

const chainStates = ['state.json', 'exit.json', 'state.previous.json']

/**
 * Reads the state of the development chain: from the node if it runs, or else the newest complete saved state. The
 * state is read before the database. Whatever the database knows beyond that state is done again, as after every loss
 * of a chain.
 * @param runs whether the instance may be running
 */
export async function readChainState(dataDir: string, runs: boolean): Promise<Buffer | undefined> {
  const address = getAddressFile(dataDir)
  const dumped =
    runs && existsSync(address) ? await dumpChain(await readFile(address, 'utf8')).catch(() => undefined) : undefined
  return dumped ?? readNewestState(dataDir)
}

async function readNewestState(dataDir: string): Promise<Buffer | undefined> {
  const files = chainStates.map((name) => join(dataDir, 'anvil', name)).filter((file) => existsSync(file))
  const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })))
  for (const { file } of dated.sort((a, b) => b.at - a.at)) {
    const bytes = await readFile(file)
    if (isWhole(bytes)) return bytes
  }
  return undefined
}

function isWhole(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}

/** Writes every stored file to the archive. Content under an identifier never changes. @returns number of files */
export async function writeFiles(archive: ArchiveWriter, dataDir: string, chain: Buffer | undefined): Promise<number> {
  let count = 0
  if (chain) {
    await archive.writeFrame({ kind: 'file', path: 'anvil/state.json' })
    for (let at = 0; at < chain.length; at += pieceBytes)
      await archive.writeContent(chain.subarray(at, at + pieceBytes))
    await archive.endContent()
    count++
  }
  for await (const path of listKeptContent(dataDir)) {
    await archive.writeFrame({ kind: 'file', path })
    for await (const piece of createReadStream(join(dataDir, path)) as AsyncIterable<Buffer>)
      await archive.writeContent(piece)
    await archive.endContent()
    count++
  }
  return count
}

const pieceBytes = 1 << 20

async function* listKeptContent(dataDir: string): AsyncGenerator<string> {
  const folder = join(dataDir, 'ipfs')
  if (!existsSync(folder)) return
  for await (const shard of await opendir(folder)) {
    for await (const { name } of await opendir(join(folder, shard.name))) {
      const path = `ipfs/${shard.name}/${name}`
      if (allowedPath.test(path)) yield path
    }
  }
}

/** The files of an archive while they are written into a data folder. They get their names together, or not at all. */
export interface RestoredFiles {
  write(path: string, content: AsyncIterable<Buffer>): Promise<void>
  commit(): Promise<void>
  abandon(): Promise<void>
}

/**
 * Returns the path if a backup may contain it.
 * @throws ArchiveError for any other path, such as one outside the folder
 */
export function assertAllowedPath(path: string): string {
  if (!allowedPath.test(path))
    throw new ArchiveError(`The backup has a file that is none of ours: ${JSON.stringify(path)}. Nothing was restored`)
  return path
}

export function createRestoredFiles(dataDir: string): RestoredFiles {
  const targets: string[] = []
  const getDraftPath = (target: string) => `${target}.draft`
  return {
    async write(path, content) {
      const target = join(dataDir, assertAllowedPath(path))
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      targets.push(target)
      const file = await open(getDraftPath(target), 'w', 0o600)
      try {
        for await (const piece of content) await file.writeFile(piece)
        await file.sync()
      } finally {
        await file.close()
      }
    },
    async commit() {
      // An interrupted restore may have left a chain, and a platform that was started on it may have saved another one.
      for (const name of chainStates) await rm(join(dataDir, 'anvil', name), { force: true })
      for (const target of targets) await rename(getDraftPath(target), target)
      for (const folder of new Set(targets.map(dirname))) await syncFolder(folder)
      targets.splice(0)
    },
    async abandon() {
      for (const target of targets) await rm(getDraftPath(target), { force: true })
    },
  }
}

/** Checks whether a data folder already has a chain. */
export const hasChain = (dataDir: string): boolean =>
  chainStates.some((name) => existsSync(join(dataDir, 'anvil', name)))
