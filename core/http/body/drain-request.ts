import { finished } from 'node:stream/promises'
import type { Context as KoaContext } from 'koa'
import { hasBody } from './body.ts'

/** Time in milliseconds that a client has to send the rest of a body that was refused. */
const drainTimeoutMs = 1_000

/**
 * Discards what the client still sends after its request was answered, so that it reads the answer and the connection
 * can be reused. If that takes too long, or the client still waits for 100 Continue, the connection is closed. Source:
 * RFC 9112, section 9.6. @returns undefined in the usual case that nothing is left
 */
export function drainRequest(ctx: KoaContext): Promise<void> | undefined {
  const { req } = ctx
  return req.complete || req.destroyed || !hasBody(req.headers) ? undefined : drainOrClose(ctx)
}

async function drainOrClose({ req, res }: KoaContext): Promise<void> {
  const isBodyUnrequested = req.headers.expect !== undefined && req.readableFlowing === null
  if (!isBodyUnrequested && (await hasEndedInTime(req))) return
  res.shouldKeepAlive = false
}

async function hasEndedInTime(req: KoaContext['req']): Promise<boolean> {
  req.unpipe()
  req.resume()
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), drainTimeoutMs)
  return finished(req, { writable: false, signal: timeout.signal })
    .then(
      () => true,
      () => false,
    )
    .finally(() => clearTimeout(timer))
}
