import { randomUUID } from 'node:crypto'
import { mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The pattern of identifiers of version 1 in base32, the only spelling that names a file. */
const cidPattern = /^b[a-z2-7]{58,120}$/

/**
 * Returns the path of content: `ipfs/<the two characters before the last>/<identifier>`. These characters come from the
 * digest, so no folder grows too large. Source: flatfs of Kubo, `next-to-last/2`.
 */
function getContentPath(dataDir: string, cid: string): string {
  if (!cidPattern.test(cid)) throw new Error('not the identifier of content')
  return join(dataDir, 'ipfs', cid.slice(-3, -1), cid)
}

/**
 * Writes content to its own file, which only this user can read. The file appears complete or not at all, and survives
 * a power failure. An existing file with the same bytes is left unchanged.
 */
export async function writeToStore(dataDir: string, cid: string, bytes: Uint8Array): Promise<void> {
  const contentPath = getContentPath(dataDir, cid)
  if ((await readFromStore(dataDir, cid))?.equals(bytes)) return
  await mkdir(dirname(contentPath), { recursive: true, mode: 0o700 })
  const draftPath = join(dirname(contentPath), `.${randomUUID()}`)
  try {
    await writeFileDurably(draftPath, bytes)
    await rename(draftPath, contentPath)
  } catch (cause) {
    await rm(draftPath, { force: true })
    throw cause
  }
  await syncFolder(dirname(contentPath))
}

async function writeFileDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Flushes the names in a folder to the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Reads the content under a name without checking it; null if there is none. */
export async function readFromStore(dataDir: string, cid: string): Promise<Buffer | null> {
  return readFile(getContentPath(dataDir, cid)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null
    throw cause
  })
}

/** Iterates over the identifiers of all stored content, folder by folder; skips incomplete files. */
export async function* iterateStoredCids(dataDir: string): AsyncGenerator<string, void, undefined> {
  for await (const folder of iterateEntries(join(dataDir, 'ipfs'))) {
    for await (const name of iterateEntries(join(dataDir, 'ipfs', folder))) if (cidPattern.test(name)) yield name
  }
}

/** Iterates over the names in a folder; there are none if the folder does not exist. */
async function* iterateEntries(folder: string): AsyncGenerator<string, void, undefined> {
  const found = await opendir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return []
    throw cause
  })
  for await (const { name } of found) yield name
}

/** Removes the content under a name, if there is any. */
export async function removeFromStore(dataDir: string, cid: string): Promise<void> {
  await rm(getContentPath(dataDir, cid), { force: true })
}
