import type { Context } from '../../../kernel/work.ts'
import { createCid } from '../formats/index.ts'
import { maxContentBytes } from './ipfs.body.ts'
import { readFromGateway } from './ipfs.gateway.ts'
import { addToKubo, readFromKubo } from './ipfs.kubo.ts'
import { readFromStore, writeToStore } from './ipfs.store.ts'

type SaveContext = Pick<Context, 'settings'>
type ReadContext = Pick<Context, 'settings' | 'log'>

/** Default timeout for reading content, in milliseconds. */
const defaultTimeoutMs = 10_000

/**
 * Stores content under its identifier: pinned on the IPFS node of `IPFS_API_URL` if there is one, else in this
 * installation's own store below `DATA_DIR`, which all its machines must share. The same bytes are stored only once.
 * @returns the identifier, which is the same in both places
 * @throws IpfsUnreachableError
 */
export async function saveContent({ settings }: SaveContext, bytes: Uint8Array): Promise<{ cid: string }> {
  if (bytes.length > maxContentBytes) throw new Error(`Content of more than ${maxContentBytes} bytes is not kept`)
  const cid = await createCid(bytes)
  if (settings.ipfsApiUrl === undefined) await writeToStore(settings.dataDir, cid, bytes)
  else await addToKubo(settings.ipfsApiUrl, cid, bytes)
  return { cid }
}

/**
 * Finds stored content by its identifier and checks it against the identifier. Reads the own store first, which may
 * have content from a time without a node; then asks the node of `IPFS_API_URL` and the gateway of `IPFS_GATEWAY_URL`
 * at once and takes the first answer.
 * @param timeoutMs milliseconds
 * @returns null if none of them has the content at present
 */
export async function findContent(
  context: ReadContext,
  cid: string,
  timeoutMs = defaultTimeoutMs,
): Promise<Buffer | null> {
  const {
    settings: { ipfsApiUrl, ipfsGatewayUrl },
    log,
  } = context
  const kept = await findOwnCopy(context, cid)
  if (kept !== null) return kept
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)])
  const reads = [
    ...(ipfsApiUrl === undefined ? [] : [readFromKubo(ipfsApiUrl, cid, signal)]),
    ...(ipfsGatewayUrl === undefined ? [] : [readFromGateway(ipfsGatewayUrl, cid, signal)]),
  ]
  if (reads.length === 0) return null
  try {
    return await Promise.any(reads)
  } catch (err) {
    log.warn({ err, cid }, 'IPFS does not give content')
    return null
  } finally {
    ended.abort()
  }
}

/**
 * Returns the content of the own store under this identifier; null if there is none or if it does not match the
 * identifier.
 */
export async function findOwnCopy({ settings, log }: ReadContext, cid: string): Promise<Buffer | null> {
  const kept = await readFromStore(settings.dataDir, cid).catch((err: unknown) => {
    log.warn({ err, cid }, 'the content store cannot be read')
    return null
  })
  if (kept === null || (await createCid(kept)) === cid) return kept
  log.warn({ cid }, 'the content store has other content than its name says')
  return null
}
