import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { callRpc } from './rpc.ts'

/** The files with saved states of a chain: one saved at exit, one saved every few seconds, and the one before that. */
const stateFileNames = { atExit: 'exit.json', current: 'state.json', previous: 'state.previous.json' }

export function createAnvilState(folder: string) {
  const path = (name: keyof typeof stateFileNames) => join(folder, stateFileNames[name])
  let savedHead = ''

  /**
   * Writes the chain's state to a draft file, then moves the draft into place, so that a crash leaves complete files.
   */
  async function save(url: string): Promise<void> {
    const head = await callRpc<{ hash: string }>(url, 'eth_getBlockByNumber', ['latest', false])
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

  /**
   * Finds the newest complete state file, and sets incomplete ones aside.
   * @returns undefined if the chain starts empty
   */
  async function newest(): Promise<string | undefined> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const files = (Object.keys(stateFileNames) as (keyof typeof stateFileNames)[])
      .map(path)
      .filter((file) => existsSync(file))
    const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })))
    for (const { file } of dated.sort((a, b) => b.at - a.at)) {
      if (await isWhole(file)) return file
      await setAside(file)
    }
    return undefined
  }

  return { atExit: path('atExit'), save, newest, setAside }
}

/** Reads the whole current state of a chain. */
export async function dumpChain(url: string): Promise<Buffer> {
  const dump = await callRpc<string>(url, 'anvil_dumpState', [])
  return promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'))
}

/** Returns the file with the address of a data folder's node. The file is for commands that run beside the node. */
export const getAddressFile = (dataDir: string): string => join(dataDir, 'anvil', 'address')

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
