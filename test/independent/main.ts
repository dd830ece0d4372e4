import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:net'
import type { DidDocument } from './dids.ts'
import { verifyEmbedded, verifyToken, type SavedDocuments } from './verify.ts'

/**
 * Verifies what a folder holds: `*.ld.json` and `*.jwt`, with `lists/*.json` and `dids/*.json` at hand. Prints a line of
 * JSON for each: its name, and why it does not verify, null where it does; and whether a network could be reached.
 */
async function main(folder: string, peer: string): Promise<void> {
  const documents = <T>(name: string, read: (bytes: Buffer) => [string, T]) =>
    new Map(readdirSync(join(folder, name)).map((file) => read(readFileSync(join(folder, name, file)))))
  const json = (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as { id: string }
  const saved: SavedDocuments = {
    lists: documents('lists', (bytes) => [json(bytes).id, bytes]),
    dids: documents('dids', (bytes) => [json(bytes).id, json(bytes) as DidDocument]),
  }
  print({ network: await reaches(peer) })
  for (const name of readdirSync(folder)
    .filter((each) => /\.(ld\.json|jwt)$/.test(each))
    .sort()) {
    const bytes = readFileSync(join(folder, name))
    const verified = name.endsWith('.jwt') ? verifyToken(bytes.toString('latin1'), saved) : verifyEmbedded(bytes, saved)
    print({ name, error: await verified.then(() => null, String) })
  }
}

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** Whether this process can open a connection to `host:port`. */
function reaches(peer: string): Promise<boolean> {
  const [host = '', port = ''] = peer.split(':')
  return new Promise((resolve) => {
    try {
      const socket = connect({ host, port: Number(port) }, () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    } catch {
      resolve(false)
    }
  })
}

await main(process.argv[2] ?? '', process.argv[3] ?? '')
