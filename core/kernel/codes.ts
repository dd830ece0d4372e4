/** What a code means: its status and the short page that its `type` address answers. */
interface CodeEntry { status: number; title: string; meaning: string }

const entry = (status: number, title: string, meaning: string): CodeEntry => ({ status, title, meaning })

/**
 * Every code an answer can carry. A code, once shipped, never changes its meaning; of the 5xx answers only those of a
 * credential out of reach carry one.
 * `test/house` holds this table against the list in README.md.
 */
export const codes = {
  INVALID_JSON: entry(400, 'Invalid JSON', 'The body is not well-formed JSON in UTF-8.'),
  INVALID_REQUEST: entry(400, 'Invalid request', 'A required member is missing, or a path or query parameter is wrong.'),
  INVALID_FILTER: entry(400, 'Invalid filter', 'A filter names a field, an operator or a value that this list does not take.'),
  INVALID_SORTER: entry(400, 'Invalid sorter', 'A sorter names a field or an order that this list does not take.'),
  INVALID_PAGINATION: entry(400, 'Invalid pagination', 'currentPage, pageSize or cursor is out of its bounds.'),
  DPP_DID_WEB_DOMAIN_NOT_CONFIGURED: entry(400, 'No domain configured', 'Set a domain for did:web first.'),
  DPP_MAGIC_TOKEN_INVALID: entry(400, 'Invalid magic token', 'The token is forged, malformed, expired or already used.'),
  MINT_BATCH_TOO_LARGE: entry(400, 'Wrong batch size', 'A mint takes 1 to 10,000 rows in at most 16 MiB.'),
  IMPORT_BODY_MISSING: entry(400, 'Nothing to import', 'The request has no body, or an empty one.'),
  IMPORT_MAPPER_REQUIRED: entry(400, 'Mapper required', 'A CSV file has columns of its own: name the mapper that reads them.'),
  IMPORT_MAPPER_FORMAT_MISMATCH: entry(400, 'Wrong mapper', 'The mapper reads files of another format.'),
  IMPORT_MAPPER_NOT_URL: entry(400, 'Nothing to fetch', 'Only a mapper of type url can be run.'),
  IMPORT_TOO_LARGE: entry(400, 'File too large', 'A file to import has at most 256 MB, unpacked.'),
  IMPORT_ENCODING_INVALID: entry(400, 'Wrong encoding', 'The file is not written in the encoding that it is said to have, or has none that can be found out.'),
  IMPORT_COLUMNS_MISSING: entry(400, 'Columns missing', 'The file lacks columns that the mapper needs.'),
  IMPORT_ROW_CAP_EXCEEDED: entry(400, 'Too many rows', 'This installation takes fewer rows in one file.'),
  AUTH_UNAUTHENTICATED: entry(401, 'Not signed in', 'This operation needs a key or a session.'),
  AUTH_INVALID_API_KEY: entry(401, 'Invalid API key', 'The key is unknown, revoked or expired.'),
  AUTH_INVALID_OTP: entry(401, 'Invalid code', 'The one-time code is wrong, used or expired.'),
  AUTH_INSUFFICIENT_PERMISSIONS: entry(403, 'Not permitted', 'The credential is valid but lacks the permission named in `permission`.'),
  AUTH_MISSING_ORG_ID: entry(403, 'No active organization', 'Choose an organization with set-active first.'),
  AUTH_ORIGIN_MISMATCH: entry(403, 'Wrong origin', 'A form, a sign-in or a write with a cookie has to come from our own pages.'),
  DPP_CLAIM_NOT_ALLOWED: entry(403, 'Claim not allowed', 'Neither your verified e-mail or phone nor a token allows this claim.'),
  DPP_PASSPORT_SOURCE_READ_ONLY: entry(403, 'Kept by a shop', 'The shop that the passport comes from keeps it; change it there.'),
  NOT_FOUND: entry(404, 'Not found', 'There is no such resource, or you cannot see it.'),
  DPP_MINT_JOB_NOT_FOUND: entry(404, 'No such mint job', 'This sheet has no mint job with that id.'),
  DPP_CERTIFICATION_KEY_NOT_FOUND: entry(404, 'No such key', 'The organization has no certification key with that id.'),
  NOT_ACCEPTABLE: entry(406, 'Not acceptable', 'The route does not speak a media type of your Accept header.'),
  REQUEST_TIMEOUT: entry(408, 'Too slow', 'The request did not come whole in time.'),
  DPP_PASSPORT_DUPLICATE_REFERENCE: entry(409, 'Duplicate reference', 'The application already has a passport with this reference or these numbers.'),
  DPP_PASSPORT_ALREADY_MINTED: entry(409, 'Already minted', 'A passport whose mint was signed cannot be deleted.'),
  DPP_PASSPORT_NOT_PUBLISHED: entry(409, 'Not published', 'Only a published or claimed passport can do this.'),
  DPP_PASSPORT_NOT_CLAIMABLE: entry(409, 'Not claimable', 'The passport is a draft, claimed, archived, revoked or suspended (or its batch or model is), or its sheet does not allow claims.'),
  DPP_PRODUCT_HAS_PASSPORTS: entry(409, 'Sheet in use', 'A sheet that has passports cannot be deleted.'),
  DPP_PRODUCT_SCHEMA_IN_USE: entry(409, 'Definitions in use', 'Passports of the sheet would not meet the new definitions; `passports` says how many.'),
  DPP_PRODUCT_NOT_MINTABLE: entry(409, 'Sheet not mintable', 'Only an ACTIVE or UNLISTED sheet can be minted.'),
  DPP_PRODUCT_STATUS_FINAL: entry(409, 'Status is final', 'A sheet with minted passports cannot become DRAFT again.'),
  DPP_PRODUCT_NETWORK_FIXED: entry(409, 'Network is fixed', 'A sheet with minted passports cannot change its network.'),
  DPP_PASSPORT_IDENTITY_FIXED: entry(409, 'Identity is fixed', 'Granularity and numbers of a published passport cannot change.'),
  DPP_KEY_ROTATION_PENDING: entry(409, 'Rotation pending', 'A new key already waits for its registration on a network, or for the DID document to have it.'),
  DPP_DID_WEB_DOMAIN_ALREADY_TAKEN: entry(409, 'Domain taken', 'Another organization uses this domain.'),
  IMPORT_MAPPER_DUPLICATE_NAME: entry(409, 'Name taken', 'The application already has a mapper of this name.'),
  IMPORT_RUN_IN_PROGRESS: entry(409, 'Still running', 'The last fetch of this mapper is still being imported.'),
  APPLICATION_SLUG_TAKEN: entry(409, 'Slug taken', 'Another application has this slug.'),
  APPLICATION_IN_USE: entry(409, 'Application in use', 'It still has passports or accounts.'),
  IDEMPOTENCY_IN_PROGRESS: entry(409, 'Still running', 'The first request with this idempotency key has not ended yet.'),
  PRECONDITION_FAILED: entry(412, 'Changed meanwhile', 'The entity is no longer the one your If-Match names.'),
  PAYLOAD_TOO_LARGE: entry(413, 'Too large', 'The body is larger than this route takes.'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 'Unsupported media type', 'The body has a content type this route does not take.'),
  MISDIRECTED_REQUEST: entry(421, 'Not our host', 'This server does not answer for the host that the request names.'),
  VALIDATION_FAILED: entry(422, 'Not valid', 'A value breaks its schema or a rule; `errors` names each path.'),
  DPP_VC_NOTHING_TO_CERTIFY: entry(422, 'Nothing to certify', 'certifiedPaths is empty, or the passport has a value at none of its paths.'),
  IDEMPOTENCY_KEY_REUSED: entry(422, 'Key reused', 'This idempotency key was used with another body.'),
  RATE_LIMITED: entry(429, 'Too many requests', 'Wait for the seconds that Retry-After names.'),
  REQUEST_HEADERS_TOO_LARGE: entry(431, 'Head too large', 'Request line and header fields together have more than 32 KiB.'),
  DPP_VC_IPFS_UNAVAILABLE: entry(503, 'Credential out of reach', 'No stored copy of the credential is left, and IPFS does not give it at present.'),
  DPP_VC_SELF_HOSTED_UNAVAILABLE: entry(503, 'Certificate out of reach', 'The self-hosted certificate is out of reach, gone, or not the one that was anchored.'),
} as const satisfies Record<string, CodeEntry>

export type Code = keyof typeof codes
