import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { addressFile, dumpChain } from '../../embedded/anvil.state.ts'
import { ArchiveError, keepNames, type ArchiveWriter } from './archive.ts'

/** Files that an archive may have: the saved chain of development, and kept content under its identifier. */
const allowed = /^(anvil\/state\.json|ipfs\/[a-z2-7]{2}\/b[a-z2-7]{58,120})$/

const chainStates = ['state.json', 'exit.json', 'state.previous.json']

/**
 * Reads the development chain: as it is where it runs, else its newest saved state that is whole. It is read before the
 * database: what the database knows beyond it is done again, as after every loss of a chain. @param runs whether it may
 */
export async function readChainState(dataDir: string, runs: boolean): Promise<Buffer | undefined> {
  const address = addressFile(dataDir)
  const dumped = runs && existsSync(address)
    ? await dumpChain(await readFile(address, 'utf8')).catch(() => undefined) : undefined
  return dumped ?? newestState(dataDir)
}

async function newestState(dataDir: string): Promise<Buffer | undefined> {
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

/** Writes every kept file to the archive. Content under its identifier never changes. @returns how many */
export async function writeFiles(archive: ArchiveWriter, dataDir: string, chain: Buffer | undefined): Promise<number> {
  let count = 0
  if (chain) {
    await archive.frame({ kind: 'file', path: 'anvil/state.json' })
    for (let at = 0; at < chain.length; at += pieceBytes) await archive.content(chain.subarray(at, at + pieceBytes))
    await archive.endContent()
    count++
  }
  for await (const path of keptContent(dataDir)) {
    await archive.frame({ kind: 'file', path })
    for await (const piece of createReadStream(join(dataDir, path)) as AsyncIterable<Buffer>) await archive.content(piece)
    await archive.endContent()
    count++
  }
  return count
}

const pieceBytes = 1 << 20

async function* keptContent(dataDir: string): AsyncGenerator<string> {
  const folder = join(dataDir, 'ipfs')
  if (!existsSync(folder)) return
  for await (const shard of await opendir(folder)) {
    for await (const { name } of await opendir(join(folder, shard.name))) {
      const path = `ipfs/${shard.name}/${name}`
      if (allowed.test(path)) yield path
    }
  }
}

/** Files of an archive on their way into a data folder: they come to their names together, or not at all. */
export interface ArrivingFiles {
  write(path: string, content: AsyncIterable<Buffer>): Promise<void>
  settle(): Promise<void>
  abandon(): Promise<void>
}

/** Where a file of an archive goes. @throws ArchiveError for a path that no backup has, such as one that leads out */
export function demandPath(path: string): string {
  if (!allowed.test(path)) throw new ArchiveError(`The backup has a file that is none of ours: ${JSON.stringify(path)}. Nothing was restored`)
  return path
}

export function filesInto(dataDir: string): ArrivingFiles {
  const targets: string[] = []
  const draftOf = (target: string) => `${target}.draft`
  return {
    async write(path, content) {
      const target = join(dataDir, demandPath(path))
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      targets.push(target)
      const file = await open(draftOf(target), 'w', 0o600)
      try {
        for await (const piece of content) await file.writeFile(piece)
        await file.sync()
      } finally {
        await file.close()
      }
    },
    async settle() {
      // A restore that was cut short may have left a chain, and whatever was started on it another.
      for (const name of chainStates) await rm(join(dataDir, 'anvil', name), { force: true })
      for (const target of targets) await rename(draftOf(target), target)
      for (const folder of new Set(targets.map(dirname))) await keepNames(folder)
      targets.splice(0)
    },
    async abandon() {
      for (const target of targets) await rm(draftOf(target), { force: true })
    },
  }
}

/** Tells whether a data folder has a chain already. */
export const hasChain = (dataDir: string): boolean => chainStates.some((name) => existsSync(join(dataDir, 'anvil', name)))
