import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { getConstraint } from '../../kernel/ports/constraint.ts'
import { problemCodes } from '../../kernel/problem-codes.ts'
import { OverloadedError } from '../../kernel/overloaded.ts'
import { createProblem, ProblemError } from '../../kernel/problem.ts'
import { BadGatewayError, UnavailableError } from '../../kernel/unavailable.ts'

export const problemMediaType = 'application/problem+json; charset=utf-8'

export interface ProblemAnswer {
  status: number
  body: Record<string, unknown>
  headers: Record<string, string>
}

/**
 * Returns the problem of a request that was under way while its organization was deleted, as that of a credential that has
 * ended; otherwise the error itself.
 */
const toKnownError = (error: unknown): unknown =>
  getConstraint(error) === 'organization_deleted'
    ? createProblem('AUTH_UNAUTHENTICATED', 'The organization was deleted meanwhile.', { cause: error })
    : error

/**
 * Converts any error to problem details. A 4xx answer has a code. A 5xx answer has no code and does not mention the
 * cause, which is in the log under the request's id. Source: RFC 9457.
 */
export function toProblemAnswer(
  cause: unknown,
  request: { instance: string; requestId: string; baseUrl: string; log: Logger },
): ProblemAnswer {
  const { instance, requestId, baseUrl, log } = request
  const error = toKnownError(cause)
  if (error instanceof ProblemError) {
    const { title } = problemCodes[error.code]
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
      status: 503,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      body: { type: 'about:blank', title: 'Service Unavailable', status: 503, instance, requestId, detail },
    }
  }
  const isPartAway = isUnavailable(error)
  log.error({ err: error, requestId, instance }, isPartAway ? 'a part of the platform is away' : 'request failed')
  const status = error instanceof BadGatewayError ? 502 : isPartAway ? 503 : 500
  return {
    status,
    headers: isPartAway ? { 'Retry-After': '2' } : {},
    body: {
      type: 'about:blank',
      title: failureTitles[status],
      status,
      instance,
      requestId,
      detail:
        error instanceof UnavailableError || error instanceof BadGatewayError
          ? error.message
          : isPartAway
            ? 'A part of the platform does not answer. Try again shortly.'
            : 'Something failed on our side. The log has it under the request id.',
    },
  }
}

const failureTitles = { 500: 'Internal Server Error', 502: 'Bad Gateway', 503: 'Service Unavailable' } as const

/** Error codes of Node and undici for a connection that failed or was lost. */
const lostConnectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
])
const unavailableErrorNames = new Set([
  'BadGatewayError',
  'UnavailableError',
  'KnexTimeoutError',
  'SignerUnreachableError',
  'IpfsUnreachableError',
])
const unavailableMessages =
  /Connection terminated|Connection ended|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect/

/**
 * SQLSTATE classes 08 (connection), 53 (resources) and 57 (operator intervention, including a statement timeout); and
 * the states of a transaction that idled too long, deadlocked or conflicted, which may succeed when it is sent again.
 */
const unavailableSqlStates = /^(08|53|57)[0-9A-Z]{3}$|^(25P03|40P01|40001)$/

/** Checks whether an error means that PostgreSQL, the signer or another part is away, although the request is valid. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', nativeError } = error as { code?: string; nativeError?: unknown }
  return (
    unavailableErrorNames.has(error.name)
    || lostConnectionCodes.has(code)
    || unavailableSqlStates.test(code)
    || unavailableMessages.test(error.message)
    || (nativeError !== undefined && nativeError !== error && isUnavailable(nativeError))
    || (error.cause !== undefined && isUnavailable(error.cause))
  )
}

/** Writes a problem to a Koa response. */
export function writeProblem(ctx: KoaContext, answer: ProblemAnswer): void {
  ctx.status = answer.status
  ctx.set(answer.headers)
  ctx.body = JSON.stringify(answer.body)
  ctx.type = problemMediaType
}
