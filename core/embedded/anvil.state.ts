import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { rpc } from './rpc.ts'

/** The saved states of a chain: one at its end, one every few seconds, and the one before that. */
const names = { atExit: 'exit.json', current: 'state.json', previous: 'state.previous.json' }

export function anvilState(folder: string) {
  const path = (name: keyof typeof names) => join(folder, names[name])
  let savedHead = ''

  /** Writes the chain's state beside the current one and then puts it in its place, so that a cut leaves both whole. */
  async function save(url: string): Promise<void> {
    const head = await rpc<{ hash: string }>(url, 'eth_getBlockByNumber', ['latest', false])
    if (head.hash === savedHead) return
    const draft = `${path('current')}.draft`
    const file = await open(draft, 'w', 0o600)
    await file.writeFile(await dumpChain(url))
    await file.sync()
    await file.close()
    if (existsSync(path('current'))) await rename(path('current'), path('previous'))
    await rename(draft, path('current'))
    savedHead = head.hash
  }

  /** The newest state that is whole; what is not is set aside. Undefined: the chain begins anew. */
  async function newest(): Promise<string | undefined> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const files = (Object.keys(names) as (keyof typeof names)[]).map(path).filter((file) => existsSync(file))
    const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })))
    for (const { file } of dated.sort((a, b) => b.at - a.at)) {
      if (await isWhole(file)) return file
      await setAside(file)
    }
    return undefined
  }

  return { atExit: path('atExit'), save, newest, setAside }
}

/** The whole state of a chain as it is now. */
export async function dumpChain(url: string): Promise<Buffer> {
  const dump = await rpc<string>(url, 'anvil_dumpState', [])
  return promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'))
}

/** Where the node of a data folder answers while it runs, for commands beside it. */
export const addressFile = (dataDir: string): string => join(dataDir, 'anvil', 'address')

const setAside = async (file: string) => {
  await rm(`${file}.broken`, { force: true })
  await rename(file, `${file}.broken`)
}

async function isWhole(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8')
  try {
    const state: unknown = JSON.parse(text)
    return typeof state === 'object' && state !== null && 'accounts' in state
  } catch {
    return false
  }
}
