import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { codes, type Code } from '../kernel/codes.ts'
import { Problem } from '../kernel/problem.ts'

export const problemType = 'application/problem+json; charset=utf-8'

export interface Written {
  status: number
  body: Record<string, unknown>
  headers: Record<string, string>
}

/**
 * Any error as problem details. 4xx carry their code; 5xx carry none and say nothing of the cause, which the log has
 * under the request id. Source: RFC 9457.
 */
export function problemOf(
  error: unknown,
  facts: { instance: string; requestId: string; baseUrl: string; log: Logger },
): Written {
  const { instance, requestId, baseUrl, log } = facts
  if (error instanceof Problem) {
    const { title } = codes[error.code]
    return {
      status: error.status,
      headers: { ...(error.status === 401 && { 'WWW-Authenticate': 'Bearer' }), ...error.headers },
      body: {
        type: `${baseUrl}/problems/${error.code}`,
        title,
        status: error.status,
        detail: error.detail,
        instance,
        code: error.code,
        ...(error.errors && { errors: error.errors }),
        ...error.extra,
        requestId,
      },
    }
  }
  const away = isAway(error)
  log.error({ err: error, requestId, instance }, away ? 'a part of the platform is away' : 'request failed')
  const status = away ? 503 : 500
  return {
    status,
    headers: away ? { 'Retry-After': '2' } : {},
    body: {
      type: 'about:blank',
      title: away ? 'Service Unavailable' : 'Internal Server Error',
      status,
      instance,
      requestId,
      detail: away
        ? 'A part of the platform does not answer. Try again shortly.'
        : 'Something failed on our side. The log has it under the request id.',
    },
  }
}

/** Of Node and undici: nobody answers at the other end, or no longer. */
const lostConnections = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
])
const awayNames = new Set(['KnexTimeoutError', 'SignerUnreachable', 'IpfsUnreachable'])
const awayWords =
  /Connection terminated|Connection ended|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect/

/**
 * Classes of SQLSTATE: 08 connection, 53 resources, 57 operator intervention (also a statement past its time); and the
 * single states of a transaction that idled too long, deadlocked or collided, which fare better when sent again.
 */
const awayStates = /^(08|53|57)[0-9A-Z]{3}$|^(25P03|40P01|40001)$/

/** PostgreSQL, the signer or another part is away; nothing is wrong with the request. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', nativeError } = error as { code?: string; nativeError?: unknown }
  return (
    awayNames.has(error.name) ||
    lostConnections.has(code) ||
    awayStates.test(code) ||
    awayWords.test(error.message) ||
    (nativeError !== undefined && nativeError !== error && isAway(nativeError)) ||
    (error.cause !== undefined && isAway(error.cause))
  )
}

/** Writes a problem into a Koa answer. */
export function writeProblem(ctx: KoaContext, written: Written): void {
  ctx.status = written.status
  ctx.set(written.headers)
  ctx.body = JSON.stringify(written.body)
  ctx.type = problemType
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

const sheet = (title: string, content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<title>${escaped(title)}</title><link rel="stylesheet" href="/assets/tessera.css"><body><main><h1>${escaped(title)}</h1>${content}</main></body></html>`

/** A problem as a page for people. */
export function writeProblemPage(ctx: KoaContext, { status, headers, body }: Written): void {
  ctx.status = status
  ctx.set({
    ...headers,
    'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  })
  ctx.body = sheet(
    String(body['title']),
    `<p>${escaped(body['detail'])}</p><p class="quiet">Request ${escaped(body['requestId'])}</p>`,
  )
  ctx.type = 'text/html; charset=utf-8'
}

/** The short page behind a problem's `type`, or null for a code that is none. */
export function problemPage(code: string): string | null {
  if (!Object.hasOwn(codes, code)) return null
  const { status, title, meaning } = codes[code as Code]
  return sheet(title, `<p>${meaning}</p><p class="quiet">Code <code>${code}</code>, status ${status}.</p>`)
}
