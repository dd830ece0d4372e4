import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundError } from '../kernel/parts.ts'

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** What `Accept-Encoding` says. */
export const encodings = 'gzip, br'

const tooLarge = (most: number) => new OutboundError('too_large', `the body has more than ${most} bytes`)

/**
 * The body, decoded. Neither what arrives nor what comes of it is ever more than the limit, however it is packed.
 * @param encoding value of Content-Encoding. @throws OutboundError `too_large`, `content_type` for an unknown encoding
 */
export async function readBody(body: Readable, encoding: string, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  await pourBody(body, encoding, most, async (source) => {
    for await (const chunk of source) chunks.push(chunk)
  })
  return Buffer.concat(chunks)
}

/** The same piece by piece, as fast as `pour` takes it. @throws what `pour` throws, too */
export async function pourBody(
  body: Readable | AsyncIterable<Buffer>,
  encoding: string,
  most: number,
  pour: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const name = encoding.trim().toLowerCase()
  const plain = name === '' || name === 'identity'
  if (!plain && !Object.hasOwn(decoders, name))
    throw new OutboundError('content_type', `content encoding ${name} is not known`)
  const last = (source: AsyncIterable<Buffer>) => pour(limited(source, most))
  if (plain) await pipeline(body, last)
  else
    await pipeline(
      body,
      (source: AsyncIterable<Buffer>) => limited(source, packedMost(most)),
      decoders[name as keyof typeof decoders](),
      last,
    )
}

/** What does not shrink gets a little longer by packing. */
const packedMost = (most: number) => most + Math.ceil(most / 100) + 1024

async function* limited(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > most) throw tooLarge(most)
    yield chunk
  }
}
