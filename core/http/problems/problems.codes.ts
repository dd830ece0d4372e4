import { problemCodes, type ProblemCode } from '../../kernel/problem-codes.ts'
import type { OperationDeclaration } from '../../kernel/operation.ts'
import { acceptsIdempotencyKey } from '../idempotency/keys.ts'
import { pageParameterNames } from '../pipeline/validate.ts'

/** Lists the codes that the pipeline can answer for an operation of this shape, before and after its handler runs. */
export function listPipelineCodes(declaration: OperationDeclaration): ProblemCode[] {
  // They keep this order, as openapi.json lists them in it.
  return [
    'RATE_LIMITED',
    'AUTH_UNAUTHENTICATED',
    'AUTH_INVALID_API_KEY',
    'INVALID_REQUEST',
    ...listAccessCodes(declaration),
    ...listBodyCodes(declaration),
    ...listQueryCodes(declaration),
    ...listWriteCodes(declaration),
    ...listAnswerCodes(declaration),
  ]
}

/** Lists the codes that the access rule brings. */
function listAccessCodes({ access: { rule: access } }: OperationDeclaration): ProblemCode[] {
  const codes: ProblemCode[] = []
  const needsPermission = [access].flat().some((rule) => rule.includes(':'))
  if (access !== 'public' && access !== 'signedIn') codes.push('AUTH_INSUFFICIENT_PERMISSIONS')
  if (needsPermission || access === 'signedIn') codes.push('AUTH_MISSING_ORG_ID')
  return codes
}

/** Lists the codes that a body or an uploaded file brings. */
function listBodyCodes({ body, upload, transport }: OperationDeclaration): ProblemCode[] {
  const { tooLargeCode, invalidBodyStatus } = transport
  const codes: ProblemCode[] = []
  if (body) codes.push('INVALID_JSON', tooLargeCode ?? 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (upload) codes.push(tooLargeCode ?? 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (body && invalidBodyStatus !== 400) codes.push('VALIDATION_FAILED')
  return codes
}

/** Lists the codes that filters, sorters and pages bring. */
function listQueryCodes({ list, query }: OperationDeclaration): ProblemCode[] {
  if (list) return ['INVALID_FILTER', 'INVALID_SORTER', 'INVALID_PAGINATION']
  return Object.keys(query ?? {}).some((name) => pageParameterNames.has(name)) ? ['INVALID_PAGINATION'] : []
}

/** Lists the codes that a change brings. */
function listWriteCodes(declaration: OperationDeclaration): ProblemCode[] {
  const { method, path, body, upload, list, query, access } = declaration
  const codes: ProblemCode[] = []
  const acceptsKey = acceptsIdempotencyKey(declaration)
  if (method !== 'GET' && !access.allowsAnyOrigin) codes.push('AUTH_ORIGIN_MISMATCH')
  if (acceptsKey) codes.push('IDEMPOTENCY_IN_PROGRESS')
  // If two requests cannot differ, a key cannot be reused for another request.
  if (acceptsKey && (body || upload || list || query || hasPathParameters(path))) codes.push('IDEMPOTENCY_KEY_REUSED')
  return codes
}

/** Lists the codes that the resource and the form of its answer bring. */
function listAnswerCodes(declaration: OperationDeclaration): ProblemCode[] {
  const { method, path, transport, returns, access, problemCodes: problems = [] } = declaration
  const codes: ProblemCode[] = []
  // A specific 404 code of the operation replaces NOT_FOUND.
  const hasOwnNotFound = problems.some((code) => problemCodes[code].status === 404)
  // Who signs a request with an unknown path is as unknown as the path: the signature is refused.
  if (hasPathParameters(path) && !hasOwnNotFound && !access.isSigned && !access.forbidsForeign) codes.push('NOT_FOUND')
  if (transport.hasEtag && method !== 'GET') codes.push('PRECONDITION_FAILED')
  if (Object.values(returns).some((value) => value && 'type' in value && value.type === 'text/event-stream'))
    codes.push('NOT_ACCEPTABLE')
  return codes
}

const hasPathParameters = (path: string) => /:\w+/.test(path)
