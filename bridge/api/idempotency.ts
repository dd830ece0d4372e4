import { createHmac, randomUUID } from 'node:crypto'
import type { Tool } from '../../tools/catalogue/catalogue.ts'
import { makesNew } from '../../tools/arguments/once.ts'
import type { ApiAnswer, ApiRequest } from '../../tools/results/api-request.ts'
import { toProblem } from '../../tools/results/problems.ts'
import { joinCredentials, type RequestContext } from './request-context.ts'

/** The seconds in which the same call answers the first answer. */
const windowSeconds = 600

/** The parts of a call that decide about its key, besides the request. */
export interface KeyedCall {
  /** True if the caller wants the same call to be carried out once more. */
  readonly isRepeated: boolean
  readonly context: Pick<RequestContext, 'headers' | 'isAnonymous' | 'callerKey'>
}

/**
 * Adds the idempotency key to the request of a change. The caller's own key is passed on. Otherwise a call that makes
 * something new gets a key that depends on nothing but the caller's credentials, the tool and the request, so it is the
 * same in each process and after a restart, and however often a person confirms it. Any other change keeps the key of
 * its confirmation, if it has one.
 * @param request built from arguments in canonical order, so that equal calls have equal requests; no dry run
 */
export function withIdempotencyKey(
  operation: Tool['operation'],
  request: ApiRequest,
  { isRepeated, context }: KeyedCall,
): ApiRequest {
  if (request.method === 'GET' || operation.hints.readOnlyHint) return request
  const { callerKey, isAnonymous, headers } = context
  if (callerKey) return { ...request, idempotency: { ...callerKey, chosenBy: 'caller' } }
  if (isAnonymous || !makesNew(operation) || (isRepeated && request.idempotency)) return request
  const key = isRepeated ? randomUUID() : hashRequest(operation.name, request, headers)
  const isRepeatable = !isRepeated && operation.takesIdempotencyKey
  return {
    ...request,
    idempotency: { key: `mcp-${key}`, window: String(windowSeconds), chosenBy: 'bridge', isRepeatable },
  }
}

function hashRequest(
  tool: string,
  { method, path, body }: ApiRequest,
  headers: Readonly<Record<string, string>>,
): string {
  const hmac = createHmac('sha256', joinCredentials(headers)).update(`${tool}\n${method} ${path}\n`)
  return hmac.update(body?.content ?? '').digest('base64url')
}

/** Returns whether the API is still at work on an earlier request with the bridge's key, whose answer will come. */
export function isFirstInProgress({ idempotency }: ApiRequest, answer: ApiAnswer | undefined): boolean {
  if (!idempotency || idempotency.chosenBy === 'caller' || answer?.status !== 409) return false
  return toProblem(answer).code === 'IDEMPOTENCY_IN_PROGRESS'
}

/** Describes an answer that the API gave before; null for any other answer. */
export function describeReplay({ idempotency }: ApiRequest, { isReplayed }: ApiAnswer): string | null {
  if (!isReplayed) return null
  switch (idempotency?.chosenBy) {
    case 'bridge':
      return 'This is the answer to the same call of a moment ago; nothing was done twice. To do it once more, add again: true.'
    case 'confirmation':
      return 'This was confirmed and done before. The above is the answer of that time; nothing was done twice.'
    default:
      return 'This is the answer to an earlier request with the same Idempotency-Key; nothing was done twice.'
  }
}
