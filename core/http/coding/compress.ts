import { pipeline, Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import { codedTag, codingFor, encodeBytes, encodingStream, isCodable, minCodedBytes, type Coding } from './coding.ts'

/**
 * Codes an answer above 1 KiB as its caller takes it. Answers with a secret go as they are (those that are not to be
 * stored, and those that set a cookie), so that nobody learns it from their length: BREACH, CVE-2013-3587.
 * Source: RFC 9110, sections 8.4, 8.8.3.3 and 12.5.3.
 * @returns undefined where it goes as it is
 */
export function compressAnswer(ctx: KoaContext): Promise<void> | undefined {
  const { body } = ctx
  const coding = chooseCoding(ctx, body)
  return coding === null ? undefined : compress(ctx, body, coding)
}

async function compress(ctx: KoaContext, body: unknown, coding: Coding): Promise<void> {
  if (body instanceof Readable) {
    if (ctx.method !== 'HEAD') ctx.body = codedStream(body, coding)
  } else ctx.body = await encodeBytes(coding, Buffer.isBuffer(body) ? body : Buffer.from(body as string))
  markCoded(ctx, coding)
}

/** The coding that an answer with this body is sent in, also one that is only about to be made; caches are told. */
export function chooseCoding(ctx: KoaContext, body: unknown): Coding | null {
  if (body === null || body === undefined || !mayBeCoded(ctx, body)) return null
  ctx.vary('Accept-Encoding')
  return codingFor(ctx.req.headers['accept-encoding'])
}

function markCoded(ctx: KoaContext, coding: Coding): void {
  ctx.set('Content-Encoding', coding)
  const etag = ctx.res.getHeader('ETag')
  if (typeof etag === 'string') ctx.set('ETag', codedTag(etag, coding))
}

function mayBeCoded({ res }: KoaContext, body: unknown): boolean {
  if (!isLarge(body) || !isCodable(String(res.getHeader('Content-Type'))) || res.hasHeader('Content-Encoding')) return false
  return !res.hasHeader('Set-Cookie') && !/no-store|no-transform/.test(String(res.getHeader('Cache-Control')))
}

function isLarge(body: unknown): boolean {
  if (typeof body === 'string') return body.length > minCodedBytes || Buffer.byteLength(body) > minCodedBytes
  return body instanceof Readable || (Buffer.isBuffer(body) && body.length > minCodedBytes)
}

/** A stream that fails ends its answer early, coded or not. */
function codedStream(body: Readable, coding: Coding): Readable {
  return pipeline(body, encodingStream(coding), () => undefined)
}
