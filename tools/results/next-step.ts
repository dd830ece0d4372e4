import { isRecord } from '../openapi.ts'
import type { Problem } from './problems.ts'

export interface FailureContext {
  /** True if the call changes something. */
  readonly writes: boolean
  /** True if nothing was sent to the API. */
  readonly unsent?: boolean
  /** True if the same call has the same idempotency key, so that the API does it at most once. */
  readonly isRepeatable?: boolean | undefined
  /** The address of the list that would contain the named thing. */
  readonly list?: string | null
  /** The Retry-After header: seconds or a date. */
  readonly retryAfter?: string | null
}

/** Describes in one or two sentences what a caller can do about a problem. */
export function describeNextStep(problem: Problem, context: FailureContext): string {
  const { status } = problem
  if (context.unsent) return 'Nothing was sent. Correct the arguments named above and call again.'
  if (status === 401)
    return 'Connect with a valid credential (Authorization: Bearer, X-Api-Key or a session cookie), then call again.'
  if (problem.code === 'AUTH_ORIGIN_MISMATCH')
    return 'A session cookie may only read here. Connect with an API key (X-Api-Key) or Authorization: Bearer instead.'
  if (status === 403)
    return `The credential may not do this${describePermission(problem)}. Repeating does not help: ask an owner or admin.`
  if (status === 404)
    return context.list
      ? `Check the id: what exists is listed in the resource ${context.list}`
      : 'Check the ids in the call.'
  if (status === 409) return describeConflict(problem)
  if (status === 412) return 'It has changed meanwhile: read it again and repeat the change on what you read.'
  if (status === 413) return 'Send less at once: split the call into smaller ones.'
  if (status === 429) return `Wait ${formatWait(context.retryAfter)}, then repeat the same call.`
  if (status < 500) return 'Correct the call as described and try again.'
  if (context.writes && context.isRepeatable && (status === 502 || status === 504))
    return 'Repeat the same call: it is done at most once.'
  return context.writes
    ? 'It is not known whether the change was made: read the present state before you repeat the call.'
    : `Nothing is wrong with the call: repeat it after ${formatWait(context.retryAfter)}.`
}

function describeConflict(problem: Problem): string {
  return /_IN_PROGRESS$/.test(problem.code ?? '')
    ? 'Wait until what is running has ended, then call again.'
    : 'The present state does not allow it: read the resource, then change the call instead of repeating it.'
}

function describePermission({ permission }: Problem): string {
  return isRecord(permission)
    ? ` (missing permission: ${String(permission['resource'])}, ${String(permission['action'])})`
    : ''
}

const formatWait = (retryAfter: string | null | undefined) =>
  retryAfter && /^\d+$/.test(retryAfter) ? `${retryAfter} s` : 'some seconds'
