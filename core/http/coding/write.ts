import { Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import { etagMatches, type Written } from '../present.ts'
import { codedTag } from './coding.ts'
import { chooseCoding } from './compress.ts'

/** Puts status, headers and bytes on the wire; of a HEAD only status and headers. */
export function writeAnswer(ctx: KoaContext, { status, headers, body }: Written): void {
  ctx.status = status
  if (body !== null) ctx.body = ctx.method === 'HEAD' && body instanceof Readable ? body.destroy() : body
  else ctx.body = null
  ctx.status = status
  for (const [name, text] of Object.entries(headers)) ctx.set(name, text)
}

/** 304 for a reader that has this representation already. Source: RFC 9110, section 13.1.2. */
export function revalidate(ctx: KoaContext, { headers }: Written, anonymous: boolean): void {
  ctx.vary('Authorization, Cookie, X-Api-Key')
  ctx.set('Cache-Control', anonymous ? 'public, no-cache' : 'private, no-cache')
  const known = ctx.req.headers['if-none-match']
  if (headers['ETag'] === undefined || known === undefined) return
  const etag = codedTag(headers['ETag'], chooseCoding(ctx, ctx.body))
  if (!etagMatches(known, etag, true)) return
  ctx.set('ETag', etag)
  ctx.status = 304
  ctx.body = null
}
