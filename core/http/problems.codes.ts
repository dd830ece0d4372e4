import { codes, type Code } from '../kernel/codes.ts'
import type { Declaration } from '../kernel/operation.ts'
import { takesKey } from './idempotency/keys.ts'
import { pageNames } from './validate.ts'

/** The codes that an operation's shape alone brings: what the pipeline can answer before and around its handler. */
export function pipelineCodes(declaration: Declaration): Code[] {
  const { access, method, path, body, upload, list, query, etag, anyOrigin, invalidBody, problems = [] } = declaration
  const found: Code[] = ['RATE_LIMITED', 'AUTH_UNAUTHENTICATED', 'AUTH_INVALID_API_KEY', 'INVALID_REQUEST']
  const behindPermission = access.includes(':')
  const write = method !== 'GET'
  const hasParams = /:\w+/.test(path)
  if (access !== 'public' && access !== 'signedIn') found.push('AUTH_INSUFFICIENT_PERMISSIONS')
  if (behindPermission || access === 'signedIn') found.push('AUTH_MISSING_ORG_ID')
  if (body) found.push('INVALID_JSON', declaration.tooLarge ?? 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (upload) found.push(declaration.tooLarge ?? 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (body && invalidBody !== 400) found.push('VALIDATION_FAILED')
  if (list) found.push('INVALID_FILTER', 'INVALID_SORTER', 'INVALID_PAGINATION')
  else if (Object.keys(query ?? {}).some((name) => pageNames.has(name))) found.push('INVALID_PAGINATION')
  const keyed = takesKey(declaration)
  if (write && !anyOrigin) found.push('AUTH_ORIGIN_MISMATCH')
  if (keyed) found.push('IDEMPOTENCY_IN_PROGRESS')
  // Where nothing can differ between two requests, no key can be used for another one.
  if (keyed && (body || upload || list || query || hasParams)) found.push('IDEMPOTENCY_KEY_REUSED')
  // An absence with a name of its own takes the place of the general one.
  const named = problems.some((code) => codes[code].status === 404)
  if (hasParams && !named) found.push('NOT_FOUND')
  if (etag && write) found.push('PRECONDITION_FAILED')
  if (
    Object.values(declaration.returns).some((value) => value && 'type' in value && value.type === 'text/event-stream')
  )
    found.push('NOT_ACCEPTABLE')
  return found
}
