import { problem, type Problem } from '../../kernel/problem.ts'

/** Cookie of a member's session, and of an end user's. */
export const cookieNames = { member: 'tessera.session', endUser: 'tessera.user' } as const

export type SessionKind = keyof typeof cookieNames

/** What a request carries, before anything is looked up. */
export type Presented =
  | { kind: 'none' }
  | { kind: 'key'; key: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'cookies'; tokens: Partial<Record<SessionKind, string>> }
  | { kind: 'refused'; problem: Problem }

type Headers = Record<string, string | string[] | undefined>

export const invalidKey = (detail = 'The API key is unknown, revoked or expired.') =>
  problem('AUTH_INVALID_API_KEY', detail)
export const invalidSession = (detail = 'The session is unknown or has ended.') =>
  problem('AUTH_UNAUTHENTICATED', detail)

/** What a key begins with; the session library never makes such a token. */
const keyPrefix = 'tsr_'

/** The one spelling of a key, and of a session token: anything else, as padding behind it, is another text. */
const wholeKey = /^tsr_(live|test)_[A-Za-z0-9]{40}$/
const sessionToken = /^[A-Za-z0-9]{32}$/

/**
 * Which credential of a request counts. A key counts alone; then a Bearer token, then the cookies.
 * X-Api-Key that is there but empty is a wrong key. An Authorization field without content, or of a scheme that is not
 * ours, carries no credential for us (RFC 6750, section 3.1, "unsupported authentication method"): such a request is
 * anonymous unless it has more. Bearer without a well-formed token, several of them, or a key without its scheme are
 * attempts that failed: 401 (RFC 9110, section 15.5.2), on public routes too. Scheme names have no case (11.1).
 */
export function presentedBy(headers: Headers): Presented {
  const authorization = readAuthorization(headers['authorization'])
  const keys = readKeys(headers['x-api-key'])
  if (authorization.kind === 'key') keys.push(authorization.key)
  if (keys.length > 0) return oneKey(keys)
  return authorization.kind === 'none' ? readCookies(headers['cookie']) : authorization
}

function oneKey(keys: readonly string[]): Presented {
  const [key = ''] = keys
  if (keys.some((other) => other !== key)) return refused(invalidKey('The request carries two different API keys.'))
  return wholeKey.test(key) ? { kind: 'key', key } : refused(invalidKey())
}

/** A field sent twice arrives joined by a comma, which no key contains. */
function readKeys(field: string | string[] | undefined): string[] {
  if (field === undefined) return []
  return [field].flat().join(',').split(',').map((key) => key.trim())
}

function readAuthorization(field: string | string[] | undefined): Presented {
  const text = [field ?? ''].flat().join(',').trim()
  const space = text.indexOf(' ')
  const scheme = space < 0 ? text : text.slice(0, space)
  if (scheme.startsWith(keyPrefix)) return refused(invalidKey('Send the key as X-Api-Key, or after the word Bearer.'))
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'none' }
  const token = space < 0 ? '' : text.slice(space).trim()
  if (token.startsWith(keyPrefix)) return { kind: 'key', key: token }
  if (!sessionToken.test(token)) return refused(invalidSession('The Authorization field carries no Bearer token of ours.'))
  return { kind: 'bearer', token }
}

function readCookies(field: string | string[] | undefined): Presented {
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
    if (token !== undefined && sessionToken.test(token)) tokens[kind] = token
  }
  return Object.keys(tokens).length > 0 ? { kind: 'cookies', tokens } : { kind: 'none' }
}

const refused = (cause: Problem): Presented => ({ kind: 'refused', problem: cause })
