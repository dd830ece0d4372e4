import type { Knex } from 'knex'
import type { Logger } from 'pino'

/** Bytes of bodies that an organization, or its buyers together, may have kept. */
export const maxShareBytes = 64 * 1024 * 1024

/** What a share is cut to, so that what several processes store between two looks stays within the limit. */
const trimmedBytes = maxShareBytes - 8 * 1024 * 1024

/** Bytes that a process stores of a share before it looks again, and shares of which it knows how much it stored. */
const bytesBetweenLooks = 1024 * 1024
const maxKnown = 10_000

/**
 * Keeps the bodies of each share within its limit: the oldest go. Their keys, hashes, statuses and Locations stay, so
 * that nothing is done twice. Looked at once when a process first stores for a share, then after each MiB.
 */
export class BodyShares {
  readonly #sinceLook = new Map<string, number>()
  readonly #db: Knex
  readonly #log: Logger

  constructor(db: Knex, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Counts a body that was stored. Never throws: what is not cut now is cut with the next one. */
  noteStored(share: string, bytes: number): void {
    const before = this.#sinceLook.get(share)
    const stored = (before ?? 0) + bytes
    if (this.#sinceLook.size >= maxKnown) this.#sinceLook.clear()
    this.#sinceLook.set(share, stored)
    if (before !== undefined && stored < bytesBetweenLooks) return
    this.#sinceLook.set(share, 0)
    trimShare(this.#db, share).catch((cause: unknown) => {
      this.#sinceLook.delete(share)
      this.#log.warn({ err: cause, share }, 'kept answers were not looked through')
    })
  }
}

/** Lets the oldest bodies of a share go when it has more than it may. */
export async function trimShare(db: Knex, share: string): Promise<void> {
  const { rows: [found] } = await db.raw<{ rows: { bytes: string }[] }>(
    'select coalesce(sum(body_bytes), 0) as bytes from idempotency where share = ? and body_bytes > 0', [share])
  if (Number(found?.bytes ?? 0) <= trimmedBytes) return
  await db.raw(
    `with aged as (
       select scope, operation, key, sum(body_bytes) over (order by created_at desc, scope, operation, key) as bytes
       from idempotency where share = :share and body_bytes > 0)
     update idempotency one set body = null, body_bytes = 0 from aged
     where one.scope = aged.scope and one.operation = aged.operation and one.key = aged.key
       and aged.bytes > :kept and one.state = 'done'`, { share, kept: trimmedBytes })
}
