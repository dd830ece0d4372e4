/** The status of a code, and the text of the short page that its `type` address answers. */
export interface ProblemCodeEntry {
  status: number
  title: string
  meaning: string
}

/** The codes of one area, or of the platform. A code that has been shipped never changes its meaning. */
export type ProblemCodeTable = Readonly<Record<string, ProblemCodeEntry>>

export const createCodeEntry = (status: number, title: string, meaning: string): ProblemCodeEntry => ({
  status,
  title,
  meaning,
})

/** The codes that any operation can answer, whatever its area. */
const platformCodes = {
  INVALID_JSON: createCodeEntry(400, 'Invalid JSON', 'The body is not well-formed JSON in UTF-8.'),
  INVALID_REQUEST: createCodeEntry(
    400,
    'Invalid request',
    'A required member is missing, or a path or query parameter is wrong.',
  ),
  INVALID_FILTER: createCodeEntry(
    400,
    'Invalid filter',
    'A filter names a field, an operator or a value that this list does not take.',
  ),
  INVALID_SORTER: createCodeEntry(
    400,
    'Invalid sorter',
    'A sorter names a field or an order that this list does not take.',
  ),
  INVALID_PAGINATION: createCodeEntry(
    400,
    'Invalid pagination',
    'currentPage, pageSize or cursor is out of its bounds.',
  ),
  AUTH_UNAUTHENTICATED: createCodeEntry(401, 'Not signed in', 'This operation needs a key or a session.'),
  AUTH_INVALID_API_KEY: createCodeEntry(401, 'Invalid API key', 'The key is unknown, revoked or expired.'),
  AUTH_INSUFFICIENT_PERMISSIONS: createCodeEntry(
    403,
    'Not permitted',
    'The credential is valid but lacks the permission named in `permission`.',
  ),
  AUTH_MISSING_ORG_ID: createCodeEntry(403, 'No active organization', 'Choose an organization with set-active first.'),
  AUTH_ORIGIN_MISMATCH: createCodeEntry(
    403,
    'Wrong origin',
    'A form, a sign-in or a write with a cookie has to come from our own pages.',
  ),
  NOT_FOUND: createCodeEntry(404, 'Not found', 'There is no such resource, or you cannot see it.'),
  NOT_ACCEPTABLE: createCodeEntry(
    406,
    'Not acceptable',
    'The route does not speak a media type of your Accept header.',
  ),
  REQUEST_TIMEOUT: createCodeEntry(408, 'Too slow', 'The request did not come whole in time.'),
  IDEMPOTENCY_IN_PROGRESS: createCodeEntry(
    409,
    'Still running',
    'The first request with this idempotency key has not ended yet.',
  ),
  PRECONDITION_FAILED: createCodeEntry(
    412,
    'Changed meanwhile',
    'The entity is no longer the one your If-Match names.',
  ),
  PAYLOAD_TOO_LARGE: createCodeEntry(413, 'Too large', 'The body is larger than this route takes.'),
  UNSUPPORTED_MEDIA_TYPE: createCodeEntry(
    415,
    'Unsupported media type',
    'The body has a content type this route does not take.',
  ),
  MISDIRECTED_REQUEST: createCodeEntry(
    421,
    'Not our host',
    'This server does not answer for the host that the request names.',
  ),
  VALIDATION_FAILED: createCodeEntry(
    422,
    'Not valid',
    'A value breaks its schema or a rule; `errors` names each path.',
  ),
  IDEMPOTENCY_KEY_REUSED: createCodeEntry(422, 'Key reused', 'This idempotency key was used with another body.'),
  RATE_LIMITED: createCodeEntry(429, 'Too many requests', 'Wait for the seconds that Retry-After names.'),
  QUOTA_EXCEEDED: createCodeEntry(
    429,
    'Quota used up',
    'The plan of the organization allows no more of `meter` until `resetsAt`.',
  ),
  REQUEST_HEADERS_TOO_LARGE: createCodeEntry(
    431,
    'Head too large',
    'Request line and header fields together have more than 32 KiB.',
  ),
} as const satisfies ProblemCodeTable

/**
 * Every code that an answer can carry. An area adds the codes of its table: it augments this interface beside the table,
 * and names the table in its `problemCodes`.
 */
export interface ProblemCodes extends Record<keyof typeof platformCodes, ProblemCodeEntry> {}
export type ProblemCode = keyof ProblemCodes

const entries: Record<string, ProblemCodeEntry> = { ...platformCodes }

/**
 * The entries of all codes, once the areas have been composed. Of the 5xx answers, only those for a credential out of
 * reach carry a code.
 */
export const problemCodes = entries as unknown as Readonly<ProblemCodes>

/** Makes these the codes of the areas. @throws Error if one of them is a code of the platform */
export function setAreaCodes(codes: ProblemCodeTable): void {
  const own = Object.keys(codes).filter((code) => Object.hasOwn(platformCodes, code))
  if (own.length > 0) throw new Error(`An area declares codes of the platform: ${own.join(', ')}`)
  for (const code of Object.keys(entries)) if (!Object.hasOwn(platformCodes, code)) delete entries[code]
  Object.assign(entries, codes)
}
