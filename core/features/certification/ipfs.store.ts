import { randomUUID } from 'node:crypto'
import { mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Identifiers of version 1 in base32, the only spelling that names a file. */
const spelling = /^b[a-z2-7]{58,120}$/

/**
 * Where content is: `ipfs/<the two characters before the last>/<identifier>`. Those characters come from the digest, so
 * no folder grows too large. Source: flatfs of Kubo, `next-to-last/2`.
 */
function placeOf(dataDir: string, cid: string): string {
  if (!spelling.test(cid)) throw new Error('not the identifier of content')
  return join(dataDir, 'ipfs', cid.slice(-3, -1), cid)
}

/**
 * Keeps content in a file of its own, readable by this user only. It comes to its name whole or not at all, and stays
 * after a power cut. What is there already stays as it is.
 */
export async function writeToStore(dataDir: string, cid: string, bytes: Uint8Array): Promise<void> {
  const place = placeOf(dataDir, cid)
  if ((await readFromStore(dataDir, cid))?.equals(bytes)) return
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const draft = join(dirname(place), `.${randomUUID()}`)
  try {
    await written(draft, bytes)
    await rename(draft, place)
  } catch (cause) {
    await rm(draft, { force: true })
    throw cause
  }
  await settled(dirname(place))
}

async function written(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The names in a folder are on the disk. */
async function settled(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The content of that name, unjudged; null where there is none. */
export async function readFromStore(dataDir: string, cid: string): Promise<Buffer | null> {
  return readFile(placeOf(dataDir, cid)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null
    throw cause
  })
}

/** Identifiers of all that is kept, folder by folder; what is half written is left out. */
export async function* contentInStore(dataDir: string): AsyncGenerator<string, void, undefined> {
  for await (const folder of entriesOf(join(dataDir, 'ipfs'))) {
    for await (const name of entriesOf(join(dataDir, 'ipfs', folder))) if (spelling.test(name)) yield name
  }
}

/** Nothing where there is no such folder. */
async function* entriesOf(folder: string): AsyncGenerator<string, void, undefined> {
  const found = await opendir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return []
    throw cause
  })
  for await (const { name } of found) yield name
}

/** Removes the content of that name, if it is there. */
export async function removeFromStore(dataDir: string, cid: string): Promise<void> {
  await rm(placeOf(dataDir, cid), { force: true })
}
