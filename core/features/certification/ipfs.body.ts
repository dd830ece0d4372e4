import { cidOf } from './cid.ts'

/** Most bytes of one content that is kept. */
export const mostContent = 16 * 1024 * 1024

/** The bytes of an answer. @throws Error past the limit */
export async function bodyUpTo(most: number, body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > most) throw new Error(`IPFS answers more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Content that was asked for, held against its identifier. @param who answers
 * @throws Error for none, and for other content
 */
export async function contentIn(answer: Response, cid: string, who: string): Promise<Buffer> {
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel()
    throw new Error(`The ${who} answers ${answer.status}`)
  }
  const bytes = await bodyUpTo(mostContent, answer.body)
  if ((await cidOf(bytes)) !== cid) throw new Error(`The ${who} answers other content`)
  return bytes
}
