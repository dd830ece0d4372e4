import { cidOf } from './cid.ts'
import { bodyUpTo } from './ipfs.body.ts'

/** Milliseconds for everything, and bytes of the answer. */
const limits = { patience: 10_000, most: 4 * 1024 * 1024 }

/**
 * Content from the operator's own gateway, held against its identifier. @returns the cause where the gateway is out of
 * reach, has not got it, or answers something else
 */
export async function fetchFromGateway(gateway: string, cid: string): Promise<{ bytes: Buffer } | { cause: unknown }> {
  try {
    const address = `${gateway.replace(/\/+$/, '')}/ipfs/${cid}`
    const answer = await fetch(address, { signal: AbortSignal.timeout(limits.patience) })
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel()
      return { cause: new Error(`The IPFS gateway answers ${answer.status}`) }
    }
    const bytes = await bodyUpTo(limits.most, answer.body)
    return (await cidOf(bytes)) === cid ? { bytes } : { cause: new Error('The IPFS gateway answers other content') }
  } catch (cause) {
    return { cause }
  }
}
