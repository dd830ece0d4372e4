import type { Knex } from 'knex'
import type { Logger } from 'pino'

/** Maximum size in bytes of the stored bodies of an organization, or of all its buyers together. */
export const maxShareBytes = 64 * 1024 * 1024

/**
 * Size to which a share is trimmed. The difference to the limit allows for what other processes store between two
 * checks.
 */
const trimTargetBytes = maxShareBytes - 8 * 1024 * 1024

/** Bytes that a process stores for a share before it checks again, and the maximum number of shares that it counts. */
const bytesBetweenChecks = 1024 * 1024
const maxKnownShares = 10_000

/**
 * The limit of each share of stored bodies. When a share exceeds it, the oldest bodies are deleted; their keys, hashes,
 * statuses and Locations stay, so that no request is executed twice. A process checks a share when it first stores for
 * it, then after each MiB.
 */
export class BodyShares {
  readonly #storedSinceCheck = new Map<string, number>()
  readonly #db: Knex
  readonly #log: Logger

  constructor(db: Knex, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Counts a stored body. Never throws: if a trim fails, the next stored body triggers another one. */
  recordStored(share: string, bytes: number): void {
    const before = this.#storedSinceCheck.get(share)
    const stored = (before ?? 0) + bytes
    if (this.#storedSinceCheck.size >= maxKnownShares) this.#storedSinceCheck.clear()
    this.#storedSinceCheck.set(share, stored)
    if (before !== undefined && stored < bytesBetweenChecks) return
    this.#storedSinceCheck.set(share, 0)
    trimShare(this.#db, share).catch((cause: unknown) => {
      this.#storedSinceCheck.delete(share)
      this.#log.warn({ err: cause, share }, 'kept answers were not looked through')
    })
  }
}

/** Deletes the oldest bodies of a share that exceeds its limit. */
export async function trimShare(db: Knex, share: string): Promise<void> {
  const {
    rows: [total],
  } = await db.raw<{ rows: { bytes: string }[] }>(
    'select coalesce(sum(body_bytes), 0) as bytes from idempotency where share = ? and body_bytes > 0',
    [share],
  )
  if (Number(total?.bytes ?? 0) <= trimTargetBytes) return
  await db.raw(
    `with aged as (
       select scope, operation, key, sum(body_bytes) over (order by created_at desc, scope, operation, key) as bytes
       from idempotency where share = :share and body_bytes > 0)
     update idempotency one set body = null, body_bytes = 0 from aged
     where one.scope = aged.scope and one.operation = aged.operation and one.key = aged.key
       and aged.bytes > :kept and one.state = 'done'`,
    { share, kept: trimTargetBytes },
  )
}
