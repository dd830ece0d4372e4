import { contentIn } from './ipfs.body.ts'

/**
 * Content from the operator's own gateway, held against its identifier.
 * @throws Error where the gateway is out of reach, has not got it, or answers something else
 */
export async function readFromGateway(gateway: string, cid: string, signal: AbortSignal): Promise<Buffer> {
  return contentIn(await fetch(`${gateway.replace(/\/+$/, '')}/ipfs/${cid}`, { signal }), cid, 'IPFS gateway')
}
