import { STATUS_CODES } from 'node:http'
import { parseExactJson } from '../json.ts'
import { isRecord } from '../openapi.ts'
import { cutJson, maxListedCuts } from './cut-json.ts'
import { maxShownBytes } from './text-parts.ts'
import type { ApiAnswer } from './api-request.ts'
import type { Issue } from './issues.ts'

/** A problem as the API words it. Source: RFC 9457. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code?: string
  readonly errors?: readonly Issue[]
  readonly [member: string]: unknown
}

/** Converts an answer that is not a success to a problem. The text of a body that is not a problem is never shown. */
export function toProblem(answer: ApiAnswer): Problem {
  if (answer.status >= 300 && answer.status < 400)
    return createProblem(502, 'The API answered with a redirect, which is not followed.')
  const body = /^application\/(problem\+)?json\b/i.test(answer.mediaType ?? '') ? parseExactJson(answer.bytes) : null
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

/** Cuts a problem to 256 KiB; `cuts` then says what was left out. */
export function limitProblem(problem: Problem): Problem {
  const { value, cuts } = cutJson(problem, maxShownBytes - maxCutsBytes)
  return cuts.length === 0 ? problem : { ...(value as Problem), cuts: cuts.slice(0, maxListedCuts) }
}

const maxCutsBytes = 8 * 1024

/** Creates a problem of the bridge itself. */
export function createProblem(
  status: number,
  detail: string,
  members: { code?: string; errors?: readonly Issue[] } = {},
): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...members }
}

/** Creates the problem of invalid arguments with the API's own codes: 400 if an argument is missing, otherwise 422. */
export function createArgumentsProblem(errors: readonly Issue[]): Problem {
  const missing = errors.some((error) => error.code === 'required')
  const detail = 'The arguments are not valid.'
  return missing
    ? createProblem(400, detail, { code: 'INVALID_REQUEST', errors })
    : createProblem(422, detail, { code: 'VALIDATION_FAILED', errors })
}

/** Formats a problem as `409 IMPORT_RUN_IN_PROGRESS: <detail>`, with each issue on its own line. */
export function formatProblem(problem: Problem): string {
  const head = problem.code === undefined ? `${problem.status} ${problem.title}` : `${problem.status} ${problem.code}`
  const errors = Array.isArray(problem.errors) ? (problem.errors as unknown[]) : []
  const lines = errors.filter(isRecord).map((error) => `- ${String(error['path'])}: ${String(error['message'])}`)
  return [`${head}: ${problem.detail}`, ...lines].join('\n')
}
