import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundError } from '../kernel/ports/outbound.ts'

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** Value of the header `Accept-Encoding`. */
export const acceptedEncodings = 'gzip, br'

const createTooLargeError = (maxBytes: number) =>
  new OutboundError('too_large', `the body has more than ${maxBytes} bytes`)

/**
 * Reads and decodes a body. Neither the received nor the decoded bytes ever exceed the limit, whatever the encoding.
 * @param encoding value of Content-Encoding @throws OutboundError `too_large`, or `content_type` for an unknown
 * encoding
 */
export async function readBody(body: Readable, encoding: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  await streamBody(body, encoding, maxBytes, async (source) => {
    for await (const chunk of source) chunks.push(chunk)
  })
  return Buffer.concat(chunks)
}

/**
 * Decodes a body chunk by chunk, as fast as `consume` reads, with the limits and errors of `readBody`.
 * @throws what `consume` throws, too
 */
export async function streamBody(
  body: Readable | AsyncIterable<Buffer>,
  encoding: string,
  maxBytes: number,
  consume: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const name = encoding.trim().toLowerCase()
  const isPlain = name === '' || name === 'identity'
  if (!isPlain && !Object.hasOwn(decoders, name))
    throw new OutboundError('content_type', `content encoding ${name} is not known`)
  const consumeLimited = (source: AsyncIterable<Buffer>) => consume(limitBytes(source, maxBytes))
  if (isPlain) await pipeline(body, consumeLimited)
  else
    await pipeline(
      body,
      (source: AsyncIterable<Buffer>) => limitBytes(source, getMaxPackedBytes(maxBytes)),
      decoders[name as keyof typeof decoders](),
      consumeLimited,
    )
}

/** Returns the limit for the compressed size. Data that does not compress becomes slightly longer. */
const getMaxPackedBytes = (maxBytes: number) => maxBytes + Math.ceil(maxBytes / 100) + 1024

async function* limitBytes(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw createTooLargeError(maxBytes)
    yield chunk
  }
}
