import { finished } from 'node:stream/promises'
import type { Context as KoaContext } from 'koa'
import { hasBody } from './body.ts'

/** Milliseconds that a client has to send what is left of a body that was refused. */
const patience = 1_000

/**
 * Throws away what an answered request still sends, so that the client comes to read the answer and the connection can
 * serve on. What takes longer, or waits to be asked for, ends the connection. Source: RFC 9112, section 9.6.
 * @returns undefined where nothing is left, as mostly
 */
export function dropRest(ctx: KoaContext): Promise<void> | undefined {
  const { req } = ctx
  return req.complete || req.destroyed || !hasBody(req.headers) ? undefined : drop(ctx)
}

async function drop({ req, res }: KoaContext): Promise<void> {
  const neverAsked = req.headers.expect !== undefined && req.readableFlowing === null
  if (!neverAsked && (await endsSoon(req))) return
  res.shouldKeepAlive = false
}

async function endsSoon(req: KoaContext['req']): Promise<boolean> {
  req.unpipe()
  req.resume()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), patience)
  return finished(req, { writable: false, signal: late.signal })
    .then(
      () => true,
      () => false,
    )
    .finally(() => clearTimeout(timer))
}
