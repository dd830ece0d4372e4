import knex, { type Knex } from 'knex'
import type { Logger } from 'pino'
import { queryRows } from './rows/rows.ts'

/** Thrown when the connection that held the lease is gone, and the right to send with it. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError'
}

/**
 * The right to send for one address. The lease is an advisory lock of one database connection, and a sender writes
 * everything over that same connection: a sender that loses the lock also loses the ability to write.
 */
export interface SenderLease {
  readonly db: Knex
  /** Tries to take the lock. @returns false while another process has it */
  tryTake(): Promise<boolean>
  close(): Promise<void>
}

/** @param url address for a direct connection; a pooler would share the connection that holds the lock */
export function createSenderLease(url: string, name: string, log: Logger): SenderLease {
  let isHeld = false
  const logDebug = (message: unknown) => log.debug({ message }, 'the connection of a sender')
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: 'tessera sender',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
      statement_timeout: 25_000,
      idle_in_transaction_session_timeout: 30_000,
    },
    pool: {
      min: 0,
      max: 1,
      idleTimeoutMillis: 2 ** 31 - 1,
      acquireTimeoutMillis: 40_000,
      propagateCreateError: true,
      afterCreate: (connection: unknown, done: (cause: Error | null, connection: unknown) => void) =>
        done(isHeld ? new LeaseLostError('the connection of a sender broke') : null, connection),
    },
    asyncStackTraces: false,
    // Errors are also thrown, and are reported where they are caught.
    log: { warn: logDebug, error: logDebug, deprecate: logDebug, debug: logDebug },
  })
  return {
    db,
    async tryTake() {
      const sql = 'select pg_try_advisory_lock(hashtextextended(?, 7)) as taken'
      const [row] = await queryRows<{ taken: boolean }>(db, sql, [name])
      isHeld = row?.taken === true
      return isHeld
    },
    close: () => db.destroy(),
  }
}
