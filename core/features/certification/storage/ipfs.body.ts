import { createCid } from '../formats/index.ts'

/** Maximum size of one content, in bytes. */
export const maxContentBytes = 16 * 1024 * 1024

/** Reads the body of an answer. @throws Error if it is longer than the limit */
export async function readBody(maxBytes: number, body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) throw new Error(`IPFS answers more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Reads content from an answer and checks it against its identifier.
 * @param source the name of the sender in error messages
 * @throws Error if the answer has no content, or other content
 */
export async function readVerifiedContent(answer: Response, cid: string, source: string): Promise<Buffer> {
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel()
    throw new Error(`The ${source} answers ${answer.status}`)
  }
  const bytes = await readBody(maxContentBytes, answer.body)
  if ((await createCid(bytes)) !== cid) throw new Error(`The ${source} answers other content`)
  return bytes
}
