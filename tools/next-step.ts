import { isRecord } from './openapi.ts'
import type { Problem } from './problems.ts'

export interface Circumstances {
  /** The call changes something. */
  readonly writes: boolean
  /** Nothing reached the API. */
  readonly unsent?: boolean
  /** The list in which the named thing would be found. */
  readonly list?: string | null
  /** The Retry-After header: seconds or a date. */
  readonly retryAfter?: string | null
}

/** What a caller can do about a problem, in one or two sentences. */
export function nextStep(problem: Problem, around: Circumstances): string {
  const { status } = problem
  if (around.unsent) return 'Nothing was sent. Correct the arguments named above and call again.'
  if (status === 401)
    return 'Connect with a valid credential (Authorization: Bearer, X-Api-Key or a session cookie), then call again.'
  if (problem.code === 'AUTH_ORIGIN_MISMATCH')
    return 'A session cookie may only read here. Connect with an API key (X-Api-Key) or Authorization: Bearer instead.'
  if (status === 403)
    return `The credential may not do this${permission(problem)}. Repeating does not help: ask an owner or admin.`
  if (status === 404)
    return around.list
      ? `Check the id: what exists is listed in the resource ${around.list}`
      : 'Check the ids in the call.'
  if (status === 409) return conflict(problem)
  if (status === 412) return 'It has changed meanwhile: read it again and repeat the change on what you read.'
  if (status === 413) return 'Send less at once: split the call into smaller ones.'
  if (status === 429) return `Wait ${wait(around.retryAfter)}, then repeat the same call.`
  if (status < 500) return 'Correct the call as described and try again.'
  return around.writes
    ? 'It is not known whether the change was made: read the present state before you repeat the call.'
    : `Nothing is wrong with the call: repeat it after ${wait(around.retryAfter)}.`
}

function conflict(problem: Problem): string {
  return /_IN_PROGRESS$/.test(problem.code ?? '')
    ? 'Wait until what is running has ended, then call again.'
    : 'The present state does not allow it: read the resource, then change the call instead of repeating it.'
}

function permission({ permission }: Problem): string {
  return isRecord(permission)
    ? ` (missing permission: ${String(permission['resource'])}, ${String(permission['action'])})`
    : ''
}

const wait = (retryAfter: string | null | undefined) =>
  retryAfter && /^\d+$/.test(retryAfter) ? `${retryAfter} s` : 'some seconds'
