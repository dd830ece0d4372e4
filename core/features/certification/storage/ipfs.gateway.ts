import { readVerifiedContent } from './ipfs.body.ts'

/**
 * Reads content from the operator's own gateway and checks it against its identifier.
 * @throws Error if the gateway is unreachable, does not have the content, or answers other content
 */
export async function readFromGateway(gateway: string, cid: string, signal: AbortSignal): Promise<Buffer> {
  return readVerifiedContent(await fetch(`${gateway.replace(/\/+$/, '')}/ipfs/${cid}`, { signal }), cid, 'IPFS gateway')
}
