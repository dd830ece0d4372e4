import { hash, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'

/** Creates the salt of a value that may be erased: 16 random bytes in hexadecimal. */
export const createSalt = (): string => randomBytes(16).toString('hex')

/** Returns the SHA-256 of the canonical text of a value, in hexadecimal. Source: RFC 8785 (JCS); FIPS 180-4. */
function hashCanonical(value: object): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('An entry of the audit trail has no canonical text')
  return hash('sha256', text, 'hex')
}

/** What names the actor of an entry. It is erased together. */
interface ActorValues {
  id: string | null
  label: string | null
  address: string | null
  requestId: string | null
}

export const hashActor = (salt: string, { id, label, address, requestId }: ActorValues): string =>
  hashCanonical({ salt, id, label, address, requestId })

export const hashTargetLabel = (salt: string, label: string | null): string => hashCanonical({ salt, label })

/** What an entry of the trail is hashed from, besides the hash of the entry before it. */
interface HashedEntry {
  id: string
  organization: string
  /** The segment, as `2030-01`. */
  month: string
  /** RFC 3339 in UTC, with milliseconds. */
  at: string
  action: string
  actorKind: string
  actorHash: string
  targetKind: string
  targetId: string
  targetHash: string
  change: string | null
}

/** Returns the hash of an entry, which the next entry of the organization begins from. */
export function hashEntry(previous: string, entry: HashedEntry): string {
  const { id, organization, month, at, action, change } = entry
  return hashCanonical({
    version: 1,
    previous,
    organization,
    month,
    id,
    at,
    action,
    actor: { kind: entry.actorKind, hash: entry.actorHash },
    target: { kind: entry.targetKind, id: entry.targetId, hash: entry.targetHash },
    change,
  })
}

/** A segment that has ended, by what it began and ended with. */
export interface EndedSegment {
  organization: string
  /** As `2030-01`. */
  month: string
  start: string
  head: string
  length: number
}

/** Returns the hash of a segment that has ended, which a root on a chain stands for. */
export const hashSegment = ({ organization, month, start, head, length }: EndedSegment): string =>
  hashCanonical({ version: 1, organization, month, start, head, length })
