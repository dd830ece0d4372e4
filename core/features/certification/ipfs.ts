import type { Context } from '../../kernel/work.ts'
import { cidOf } from './cid.ts'
import { fetchFromGateway } from './ipfs.gateway.ts'
import { addToKubo } from './ipfs.kubo.ts'
import { readFromStore, writeToStore } from './ipfs.store.ts'

type Keeping = Pick<Context, 'settings'>
type Reading = Pick<Context, 'settings' | 'log'>

/** Most bytes of one content that is kept. */
export const mostContent = 16 * 1024 * 1024

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
 * node, else from the gateway of `IPFS_GATEWAY_URL`. @returns null where none of them gives it at present
 */
export async function readContent({ settings, log }: Reading, cid: string): Promise<Buffer | null> {
  const { dataDir, ipfsGatewayUrl } = settings
  const kept = await readFromStore(dataDir, cid).catch((err: unknown) => {
    log.warn({ err, cid }, 'the content store cannot be read')
    return null
  })
  if (kept !== null && (await cidOf(kept)) === cid) return kept
  if (kept !== null) log.warn({ cid }, 'the content store has other content than its name says')
  if (ipfsGatewayUrl === undefined) return null
  const fetched = await fetchFromGateway(ipfsGatewayUrl, cid)
  if ('bytes' in fetched) return fetched.bytes
  log.warn({ err: fetched.cause, cid }, 'the IPFS gateway does not give content')
  return null
}
