import { createHash } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { AccessRule, OperationDeclaration } from '../../kernel/operation.ts'
import { createProblem } from '../../kernel/problem.ts'

/** The request headers of the idempotency key. */
export interface KeyHeaders {
  'idempotency-key'?: string | string[] | undefined
  'idempotency-window'?: string | string[] | undefined
}

/** An idempotency key, as its caller sent it. */
export interface IdempotencyKey {
  key: string
  /**
   * The key's owner, who alone gets the stored answer: one API key, member or buyer in one organization or application, or one
   * person.
   */
  scope: string
  /**
   * The group of owners that shares one limit for stored bodies. Buyers have their own, so that they cannot use up
   * their seller's.
   */
  share: string
  /** Seconds after which the same key counts as a new request. */
  seconds: number
  /**
   * Set if the key came with a window: only the answer to a success is kept. A key with a window names a call, not an
   * order: a call that was refused may be repeated with the same key after its cause has been repaired elsewhere.
   */
  keepsOnlySuccess?: true
}

/** Seconds for which a key is remembered, unless its request asks for less: 30 days. */
export const maxKeySeconds = 30 * 24 * 60 * 60

/**
 * Checks whether an operation accepts an idempotency key. An operation that begins, changes or ends a session does not,
 * because a replay would state something that is no longer true. A sign-in does not, because its answer is a secret,
 * and a page does not, because a form cannot send the header.
 */
export const acceptsIdempotencyKey = ({ method, access, transport }: OperationDeclaration): boolean =>
  method !== 'GET' && !access.allowsAnyOrigin && !access.changesSession && transport.page === undefined

/**
 * Parses the key of a request. Returns null if there is none, or if the caller is anonymous or acts for no
 * organization. Where members act for themselves and not for an organization (rules `member` and `session`), the key is the person's:
 * it stays the same when the request itself changes the organization that they act for.
 * @throws INVALID_REQUEST for a malformed header
 */
export function parseIdempotencyKey(
  headers: KeyHeaders,
  caller: Caller,
  { access }: Pick<OperationDeclaration, 'access'>,
): IdempotencyKey | null {
  const { 'idempotency-key': key, 'idempotency-window': window } = headers
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw createProblem('INVALID_REQUEST', 'Idempotency-Key takes 1 to 255 printable ASCII characters.', {
      path: 'Idempotency-Key',
    })
  }
  const seconds = window === undefined ? maxKeySeconds : parseWindowSeconds(window)
  const owner =
    caller.kind === 'member' && isPersonal(access.rule) ? createPersonOwner(caller.user) : getKeyOwner(caller)
  return owner && { key, ...owner, seconds, ...(window !== undefined && { keepsOnlySuccess: true }) }
}

function parseWindowSeconds(window: string | string[]): number {
  const seconds = typeof window === 'string' && /^[1-9]\d{0,6}$/.test(window) ? Number(window) : Number.NaN
  if (seconds <= maxKeySeconds) return seconds
  throw createProblem(
    'INVALID_REQUEST',
    `Idempotency-Window takes a whole number of seconds from 1 to ${maxKeySeconds}.`,
    {
      path: 'Idempotency-Window',
    },
  )
}

/** Whether members call an operation for themselves, whatever organization they act for. */
const isPersonal = (rule: AccessRule): boolean => rule === 'member' || rule === 'session'

function createPersonOwner(user: string): Pick<IdempotencyKey, 'scope' | 'share'> {
  const person = `person:${user}`
  return { scope: person, share: person }
}

function getKeyOwner(caller: Caller): Pick<IdempotencyKey, 'scope' | 'share'> | null {
  if (caller.kind === 'anonymous' || caller.organization === null) return null
  const organization = `organization:${caller.organization}`
  if (caller.kind === 'key') return { scope: `${organization}:key:${caller.id}`, share: organization }
  if (caller.kind === 'member') return { scope: `${organization}:member:${caller.user}`, share: organization }
  return { scope: `user:${caller.application}:${caller.user}`, share: `buyers:${caller.organization}` }
}

/** Hashes the target and body of a request. Requests with the same hash count as the same request. */
export function hashRequest(target: string, body: Buffer): Buffer {
  return createHash('sha256').update(target).update('\n').update(body).digest()
}
