import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { codes } from '../kernel/codes.ts'
import { OverloadedError } from '../kernel/overloaded.ts'
import { Problem } from '../kernel/problem.ts'
import { UnavailableError } from '../kernel/unavailable.ts'

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
  if (error instanceof OverloadedError) {
    const { message: detail, retryAfterSeconds } = error
    return {
      status: 503, headers: { 'Retry-After': String(retryAfterSeconds) },
      body: { type: 'about:blank', title: 'Service Unavailable', status: 503, instance, requestId, detail },
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
      detail: error instanceof UnavailableError ? error.message : away
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
const awayNames = new Set(['UnavailableError', 'KnexTimeoutError', 'SignerUnreachable', 'IpfsUnreachable'])
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
