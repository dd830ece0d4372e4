import { pipeline, Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import {
  toCodedEtag,
  negotiateCoding,
  encodeBytes,
  createEncodingStream,
  isCompressible,
  minEncodedBytes,
  type ContentCoding,
} from './content-coding.ts'

/**
 * Compresses an answer above 1 KiB with a coding that the caller accepts. An answer with a secret (one that sets a
 * cookie or must not be stored) is not compressed, so that nobody learns the secret from its length: BREACH,
 * CVE-2013-3587. Source: RFC 9110, sections 8.4, 8.8.3.3 and 12.5.3. @param isFile whether it is a file that
 * stays the same @returns undefined if the answer is sent uncompressed
 */
export function compressAnswer(ctx: KoaContext, isFile: boolean): Promise<void> | undefined {
  const { body } = ctx
  const coding = chooseCoding(ctx, body)
  return coding === null ? undefined : encodeAnswer(ctx, body, { coding, isFile })
}

async function encodeAnswer(
  ctx: KoaContext,
  body: unknown,
  { coding, isFile }: { coding: ContentCoding; isFile: boolean },
): Promise<void> {
  if (body instanceof Readable) {
    if (ctx.method !== 'HEAD') ctx.body = encodeStream(body, coding)
  } else if (isFile && ctx.status === 200) ctx.body = await encodeFile(ctx.path, toBytes(body), coding)
  else ctx.body = await encodeBytes(coding, toBytes(body))
  setCodingHeaders(ctx, coding)
}

/** The compressed forms of files, of which there are as many as operations answer, each in two codings at most. */
const keptForms = new Map<string, Promise<Buffer>>()

/** Compresses a file for its first reader, and keeps the result for all others. */
function encodeFile(path: string, body: Buffer, coding: ContentCoding): Promise<Buffer> {
  const key = `${coding} ${path}`
  const known = keptForms.get(key)
  if (known) return known
  const form = encodeBytes(coding, body, { isSentOften: true })
  keptForms.set(key, form)
  form.catch(() => keptForms.delete(key))
  return form
}

const toBytes = (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : Buffer.from(body as string))

/** Chooses the content coding for an answer with this body, which may not be written yet, and sets Vary for caches. */
export function chooseCoding(ctx: KoaContext, body: unknown): ContentCoding | null {
  if (body === null || body === undefined || !canBeEncoded(ctx, body)) return null
  ctx.vary('Accept-Encoding')
  return negotiateCoding(ctx.req.headers['accept-encoding'])
}

function setCodingHeaders(ctx: KoaContext, coding: ContentCoding): void {
  ctx.set('Content-Encoding', coding)
  const etag = ctx.res.getHeader('ETag')
  if (typeof etag === 'string') ctx.set('ETag', toCodedEtag(etag, coding))
}

function canBeEncoded({ res }: KoaContext, body: unknown): boolean {
  if (!isLarge(body) || !isCompressible(String(res.getHeader('Content-Type'))) || res.hasHeader('Content-Encoding'))
    return false
  return !res.hasHeader('Set-Cookie') && !/no-store|no-transform/.test(String(res.getHeader('Cache-Control')))
}

function isLarge(body: unknown): boolean {
  if (typeof body === 'string') return body.length > minEncodedBytes || Buffer.byteLength(body) > minEncodedBytes
  return body instanceof Readable || (Buffer.isBuffer(body) && body.length > minEncodedBytes)
}

/** Compresses a stream. If the stream fails, the answer ends early, as it would without compression. */
function encodeStream(body: Readable, coding: ContentCoding): Readable {
  return pipeline(body, createEncodingStream(coding), () => undefined)
}
