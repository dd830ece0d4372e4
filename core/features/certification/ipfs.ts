import { cidOf } from './cid.ts'

/** Milliseconds for everything, and bytes of the answer. */
const limits = { patience: 10_000, most: 4 * 1024 * 1024 }

/**
 * Content from the operator's own gateway, held against its identifier. @returns null with the cause where the gateway
 * is out of reach, has not got it, or answers something else
 */
export async function fetchFromGateway(gateway: string, cid: string): Promise<{ bytes: Buffer } | { cause: unknown }> {
  try {
    const answer = await fetch(`${gateway.replace(/\/+$/, '')}/ipfs/${cid}`, { signal: AbortSignal.timeout(limits.patience) })
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel()
      return { cause: new Error(`The IPFS gateway answers ${answer.status}`) }
    }
    const bytes = await upTo(limits.most, answer.body)
    return (await cidOf(bytes)) === cid ? { bytes } : { cause: new Error('The IPFS gateway answers other content') }
  } catch (cause) {
    return { cause }
  }
}

async function upTo(most: number, body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > most) throw new Error(`The IPFS gateway answers more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
