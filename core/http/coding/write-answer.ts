import { Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import { etagMatches, type WireAnswer } from '../pipeline/present-value.ts'
import { toCodedEtag } from './content-coding.ts'
import { chooseCoding } from './compress.ts'

/** Writes status, headers and body of an answer; for HEAD only status and headers. */
export function writeAnswer(ctx: KoaContext, { status, headers, body }: WireAnswer): void {
  ctx.status = status
  if (body !== null) ctx.body = ctx.method === 'HEAD' && body instanceof Readable ? body.destroy() : body
  else ctx.body = null
  ctx.status = status
  for (const [name, text] of Object.entries(headers)) ctx.set(name, text)
}

/** Answers 304 if the client already has this representation. Source: RFC 9110, section 13.1.2. */
export function revalidateAnswer(ctx: KoaContext, { headers }: WireAnswer, isAnonymous: boolean): void {
  ctx.vary('Authorization, Cookie, X-Api-Key')
  ctx.set('Cache-Control', isAnonymous ? 'public, no-cache' : 'private, no-cache')
  const ifNoneMatch = ctx.req.headers['if-none-match']
  if (headers['ETag'] === undefined || ifNoneMatch === undefined) return
  const etag = toCodedEtag(headers['ETag'], chooseCoding(ctx, ctx.body))
  if (!etagMatches(ifNoneMatch, etag, true)) return
  ctx.set('ETag', etag)
  ctx.status = 304
  ctx.body = null
}
