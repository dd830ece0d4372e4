import type { Context } from '../../kernel/work.ts'
import { cidOf } from './cid.ts'
import { mostContent } from './ipfs.body.ts'
import { readFromGateway } from './ipfs.gateway.ts'
import { addToKubo, readFromKubo } from './ipfs.kubo.ts'
import { readFromStore, writeToStore } from './ipfs.store.ts'

type Keeping = Pick<Context, 'settings'>
type Reading = Pick<Context, 'settings' | 'log'>

/** Milliseconds that content may take to come. */
const usualPatience = 10_000

/**
 * Keeps content under its identifier: pinned by the IPFS node of `IPFS_API_URL` where there is one, else in this
 * installation's own store below `DATA_DIR`, which several machines have to share. The same bytes any number of times
 * are kept once. @returns the identifier, which is the same either way. @throws IpfsUnreachable
 */
export async function keepContent({ settings }: Keeping, bytes: Uint8Array): Promise<{ cid: string }> {
  if (bytes.length > mostContent) throw new Error(`Content of more than ${mostContent} bytes is not kept`)
  const cid = await cidOf(bytes)
  if (settings.ipfsApiUrl === undefined) await writeToStore(settings.dataDir, cid, bytes)
  else await addToKubo(settings.ipfsApiUrl, cid, bytes)
  return { cid }
}

/**
 * Kept content by its identifier, against which it is held: from the own store, which may have it from a time without a
 * node, else from whichever gives it first, the node of `IPFS_API_URL` or the gateway of `IPFS_GATEWAY_URL`.
 * @param patience milliseconds. @returns null where none of them gives it at present
 */
export async function readContent(reading: Reading, cid: string, patience = usualPatience): Promise<Buffer | null> {
  const { settings: { ipfsApiUrl, ipfsGatewayUrl }, log } = reading
  const kept = await ownCopy(reading, cid)
  if (kept !== null) return kept
  const found = new AbortController()
  const signal = AbortSignal.any([found.signal, AbortSignal.timeout(patience)])
  const asked = [
    ...(ipfsApiUrl === undefined ? [] : [readFromKubo(ipfsApiUrl, cid, signal)]),
    ...(ipfsGatewayUrl === undefined ? [] : [readFromGateway(ipfsGatewayUrl, cid, signal)]),
  ]
  if (asked.length === 0) return null
  try {
    return await Promise.any(asked)
  } catch (err) {
    log.warn({ err, cid }, 'IPFS does not give content')
    return null
  } finally {
    found.abort()
  }
}

/** What the own store has under that name, if it is that. */
export async function ownCopy({ settings, log }: Reading, cid: string): Promise<Buffer | null> {
  const kept = await readFromStore(settings.dataDir, cid).catch((err: unknown) => {
    log.warn({ err, cid }, 'the content store cannot be read')
    return null
  })
  if (kept === null || (await cidOf(kept)) === cid) return kept
  log.warn({ cid }, 'the content store has other content than its name says')
  return null
}
