import { createProblem, type ProblemError } from '../../../kernel/problem.ts'

/** Names of the cookies: one for sessions of members, one for sessions of end users. */
export const cookieNames = { member: 'tessera.session', endUser: 'tessera.user' } as const

export type SessionKind = keyof typeof cookieNames

/** The credential that a request carries, before any lookup. */
export type RequestCredential =
  | { kind: 'none' }
  | { kind: 'key'; key: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'cookies'; tokens: Partial<Record<SessionKind, string>> }
  | { kind: 'refused'; problem: ProblemError }

type RequestHeaders = Record<string, string | string[] | undefined>

export const createInvalidKeyProblem = (detail = 'The API key is unknown, revoked or expired.') =>
  createProblem('AUTH_INVALID_API_KEY', detail)
export const createInvalidSessionProblem = (detail = 'The session is unknown or has ended.') =>
  createProblem('AUTH_UNAUTHENTICATED', detail)

/** Prefix of every key; the session library never creates a token with this prefix. */
const keyPrefix = 'tsr_'

/**
 * The only valid spellings of a key and of a session token. Any other text, for example one with padding, does not
 * match.
 */
const keyPattern = /^tsr_(live|test)_[A-Za-z0-9]{40}$/
const sessionTokenPattern = /^[A-Za-z0-9]{32}$/

/**
 * Decides which credential of a request counts: a key counts before a Bearer token, and that before the cookies.
 * An empty X-Api-Key is a wrong key. An Authorization field that is empty or has another scheme carries no credential
 * for us (RFC 6750, section 3.1, "unsupported authentication method"): such a request is anonymous unless it has
 * another credential. Bearer without a well-formed token, several tokens, or a key without its scheme are failed
 * attempts: 401 (RFC 9110, section 15.5.2), on public routes too. The scheme name is case-insensitive (RFC 9110,
 * section 11.1).
 */
export function parseRequestCredential(headers: RequestHeaders): RequestCredential {
  const authorization = parseAuthorization(headers['authorization'])
  const keys = parseKeys(headers['x-api-key'])
  if (authorization.kind === 'key') keys.push(authorization.key)
  if (keys.length > 0) return parseSingleKey(keys)
  return authorization.kind === 'none' ? parseCookies(headers['cookie']) : authorization
}

function parseSingleKey(keys: readonly string[]): RequestCredential {
  const [key = ''] = keys
  if (keys.some((other) => other !== key))
    return createRefusedCredential(createInvalidKeyProblem('The request carries two different API keys.'))
  return keyPattern.test(key) ? { kind: 'key', key } : createRefusedCredential(createInvalidKeyProblem())
}

/** Splits the field at commas: a field that was sent twice arrives joined by a comma, which no key contains. */
function parseKeys(field: string | string[] | undefined): string[] {
  if (field === undefined) return []
  return [field]
    .flat()
    .join(',')
    .split(',')
    .map((key) => key.trim())
}

function parseAuthorization(field: string | string[] | undefined): RequestCredential {
  const text = [field ?? ''].flat().join(',').trim()
  const space = text.indexOf(' ')
  const scheme = space < 0 ? text : text.slice(0, space)
  if (scheme.startsWith(keyPrefix))
    return createRefusedCredential(createInvalidKeyProblem('Send the key as X-Api-Key, or after the word Bearer.'))
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'none' }
  const token = space < 0 ? '' : text.slice(space).trim()
  if (token.startsWith(keyPrefix)) return { kind: 'key', key: token }
  if (!sessionTokenPattern.test(token))
    return createRefusedCredential(
      createInvalidSessionProblem('The Authorization field carries no Bearer token of ours.'),
    )
  return { kind: 'bearer', token }
}

function parseCookies(field: string | string[] | undefined): RequestCredential {
  const text = [field ?? ''].flat().join(';')
  if (text === '') return { kind: 'none' }
  const pairs = new Map<string, string>()
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim()
    if (at > 0 && !pairs.has(name)) pairs.set(name, part.slice(at + 1).trim())
  }
  const tokens: Partial<Record<SessionKind, string>> = {}
  for (const kind of ['member', 'endUser'] as const) {
    const token = pairs.get(cookieNames[kind])
    if (token !== undefined && sessionTokenPattern.test(token)) tokens[kind] = token
  }
  return Object.keys(tokens).length > 0 ? { kind: 'cookies', tokens } : { kind: 'none' }
}

const createRefusedCredential = (cause: ProblemError): RequestCredential => ({ kind: 'refused', problem: cause })
