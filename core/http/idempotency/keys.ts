import { createHash } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Declaration } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'

/** The header fields of a request that speak of its key. */
export interface KeyHeaders {
  'idempotency-key'?: string | string[] | undefined
  'idempotency-window'?: string | string[] | undefined
}

/** A key as its caller sent it. */
export interface IdempotencyKey {
  key: string
  /** Who alone gets the answer again: one key, one member or one buyer, each in one organization or application. */
  scope: string
  /** Whose kept bodies are limited together. Buyers have a share apart, so that they cannot use up their seller's. */
  share: string
  /** Seconds after which the same key is a new request. */
  seconds: number
}

/** Seconds for which a key is remembered unless its request says less: 30 days. */
export const maxWindowSeconds = 30 * 24 * 60 * 60

/**
 * Whether an operation takes a key at all. What begins, changes or ends a session does not: a replay would claim what no
 * longer holds. Neither does a sign-in, whose answer is a secret, nor a page, whose forms have no such field.
 */
export const takesKey = ({ method, anyOrigin, changesSession, page }: Declaration): boolean =>
  method !== 'GET' && !anyOrigin && !changesSession && page === undefined

/** The key of a request, or null where there is none or nobody to keep it for. @throws INVALID_REQUEST for a malformed field */
export function keyOf(headers: KeyHeaders, caller: Caller): IdempotencyKey | null {
  const { 'idempotency-key': key, 'idempotency-window': window } = headers
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw problem('INVALID_REQUEST', 'Idempotency-Key takes 1 to 255 printable ASCII characters.', {
      path: 'Idempotency-Key',
    })
  }
  const seconds = window === undefined ? maxWindowSeconds : secondsOf(window)
  const owner = ownerOf(caller)
  return owner && { key, ...owner, seconds }
}

function secondsOf(window: string | string[]): number {
  const seconds = typeof window === 'string' && /^[1-9]\d{0,6}$/.test(window) ? Number(window) : Number.NaN
  if (seconds <= maxWindowSeconds) return seconds
  throw problem('INVALID_REQUEST', `Idempotency-Window takes a whole number of seconds from 1 to ${maxWindowSeconds}.`, {
    path: 'Idempotency-Window',
  })
}

function ownerOf(caller: Caller): Pick<IdempotencyKey, 'scope' | 'share'> | null {
  if (caller.kind === 'anonymous' || caller.organization === null) return null
  const organization = `organization:${caller.organization}`
  if (caller.kind === 'key') return { scope: `${organization}:key:${caller.id}`, share: organization }
  if (caller.kind === 'member') return { scope: `${organization}:member:${caller.user}`, share: organization }
  return { scope: `user:${caller.application}:${caller.user}`, share: `buyers:${caller.organization}` }
}

/** What "the same request" means: its target and its bytes. */
export function requestHash(target: string, body: Buffer): Buffer {
  return createHash('sha256').update(target).update('\n').update(body).digest()
}
