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
