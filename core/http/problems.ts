import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { codes, type Code } from '../kernel/codes.ts'
import { Problem } from '../kernel/problem.ts'

const json = 'application/problem+json; charset=utf-8'

export interface Written { status: number; body: Record<string, unknown>; headers: Record<string, string> }

/**
 * Any error as problem details. 4xx carry their code; 5xx carry none and say nothing of the cause, which the log has
 * under the request id. Source: RFC 9457.
 */
export function problemOf(error: unknown, facts: { instance: string; requestId: string; baseUrl: string; log: Logger }): Written {
  const { instance, requestId, baseUrl, log } = facts
  if (error instanceof Problem) {
    const { title } = codes[error.code]
    return {
      status: error.status,
      headers: { ...(error.status === 401 && { 'WWW-Authenticate': 'Bearer' }), ...error.headers },
      body: {
        type: `${baseUrl}/problems/${error.code}`, title, status: error.status, detail: error.detail, instance, code: error.code,
        ...(error.errors && { errors: error.errors }), ...error.extra, requestId,
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
      type: 'about:blank', title: away ? 'Service Unavailable' : 'Internal Server Error', status, instance, requestId,
      detail: away ? 'A part of the platform does not answer. Try again shortly.' : 'Something failed on our side. The log has it under the request id.',
    },
  }
}

const awayCodes = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'UND_ERR_SOCKET', '57P01', '57P02', '57P03', '53300', '57014', '08006', '08001', '25P03',
])
const awayNames = new Set(['KnexTimeoutError', 'SignerUnreachable'])
const awayWords = /Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect/

/** PostgreSQL, the signer or another part is away; nothing is wrong with the request. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, nativeError } = error as { code?: string; nativeError?: unknown }
  return awayNames.has(error.name) || (code !== undefined && awayCodes.has(code)) || awayWords.test(error.message)
    || (nativeError !== undefined && nativeError !== error && isAway(nativeError)) || (error.cause !== undefined && isAway(error.cause))
}

/** Writes a problem into a Koa answer. */
export function writeProblem(ctx: KoaContext, written: Written): void {
  ctx.status = written.status
  ctx.set(written.headers)
  ctx.body = JSON.stringify(written.body)
  ctx.type = json
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

const sheet = (title: string, content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`
  + `<title>${escaped(title)}</title><link rel="stylesheet" href="/assets/tessera.css"><body><main><h1>${escaped(title)}</h1>${content}</main></body></html>`

/** A problem as a page for people. */
export function writeProblemPage(ctx: KoaContext, { status, headers, body }: Written): void {
  ctx.status = status
  ctx.set({ ...headers, 'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'", 'Cache-Control': 'no-store' })
  ctx.body = sheet(String(body['title']), `<p>${escaped(body['detail'])}</p><p class="quiet">Request ${escaped(body['requestId'])}</p>`)
  ctx.type = 'text/html; charset=utf-8'
}

/** The short page behind a problem's `type`, or null for a code that is none. */
export function problemPage(code: string): string | null {
  if (!Object.hasOwn(codes, code)) return null
  const { status, title, meaning } = codes[code as Code]
  return sheet(title, `<p>${meaning}</p><p class="quiet">Code <code>${code}</code>, status ${status}.</p>`)
}
