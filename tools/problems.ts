import { STATUS_CODES } from 'node:http'
import { parsedJson } from './json.ts'
import { isRecord } from './openapi.ts'
import type { ApiAnswer } from './request.ts'
import type { Violation } from './violations.ts'

/** A refusal as the API words it. Source: RFC 9457. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code?: string
  readonly errors?: readonly Violation[]
  readonly [member: string]: unknown
}

/** The problem of an answer that is no success. A body that is no problem is never shown. */
export function problemOf(answer: ApiAnswer): Problem {
  if (answer.status >= 300 && answer.status < 400)
    return made(502, 'The API answered with a redirect, which is not followed.')
  const body = /^application\/(problem\+)?json\b/i.test(answer.mediaType ?? '') ? parsedJson(answer.bytes) : null
  const title = STATUS_CODES[answer.status] ?? 'Error'
  if (!isRecord(body))
    return { type: 'about:blank', title, status: answer.status, detail: 'The API gave no further detail.' }
  return {
    ...body,
    type: typeof body['type'] === 'string' ? body['type'] : 'about:blank',
    title: typeof body['title'] === 'string' ? body['title'] : title,
    status: answer.status,
    detail: typeof body['detail'] === 'string' ? body['detail'] : title,
  }
}

/** A problem that arose on this side of the API. */
export function made(
  status: number,
  detail: string,
  more: { code?: string; errors?: readonly Violation[] } = {},
): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...more }
}

/** Arguments that cannot be sent, with the API's own codes: missing ones are 400, others 422. */
export function wrongArguments(errors: readonly Violation[]): Problem {
  const missing = errors.some((error) => error.code === 'required')
  const detail = 'The arguments are not valid.'
  return missing
    ? made(400, detail, { code: 'INVALID_REQUEST', errors })
    : made(422, detail, { code: 'VALIDATION_FAILED', errors })
}

/** `409 IMPORT_RUN_IN_PROGRESS: <detail>`, each violation on its own line. */
export function problemText(problem: Problem): string {
  const head = problem.code === undefined ? `${problem.status} ${problem.title}` : `${problem.status} ${problem.code}`
  const errors = Array.isArray(problem.errors) ? (problem.errors as unknown[]) : []
  const lines = errors.filter(isRecord).map((error) => `- ${String(error['path'])}: ${String(error['message'])}`)
  return [`${head}: ${problem.detail}`, ...lines].join('\n')
}
