import knex, { type Knex } from 'knex'
import type { Logger } from 'pino'
import { rowsOf } from './rows.ts'

/** The connection that held the lease is gone, and with it the right to send. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/**
 * The right to send for one address. It is an advisory lock of one database connection, and everything a sender
 * writes goes over this same connection: with the lock, the ability to write is lost too.
 */
export interface Lease {
  readonly db: Knex
  /** Tries to take the lock. @returns false while another process has it */
  take(): Promise<boolean>
  close(): Promise<void>
}

/** @param url a direct connection: a pooler between would share the lock's connection */
export function leaseOf(url: string, name: string, log: Logger): Lease {
  let held = false
  const quietly = (message: unknown) => log.debug({ message }, 'the connection of a sender')
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: url, application_name: 'tessera sender', keepAlive: true, connectionTimeoutMillis: 5_000,
      query_timeout: 30_000, statement_timeout: 25_000, idle_in_transaction_session_timeout: 30_000,
    },
    pool: {
      min: 0, max: 1, idleTimeoutMillis: 2 ** 31 - 1, acquireTimeoutMillis: 40_000, propagateCreateError: true,
      afterCreate: (connection: unknown, done: (cause: Error | null, connection: unknown) => void) =>
        done(held ? new LeaseLost('the connection of a sender broke') : null, connection),
    },
    asyncStackTraces: false,
    // What goes wrong is thrown as well; it is reported where it is caught.
    log: { warn: quietly, error: quietly, deprecate: quietly, debug: quietly },
  })
  return {
    db,
    async take() {
      const sql = 'select pg_try_advisory_lock(hashtextextended(?, 7)) as taken'
      const [row] = await rowsOf<{ taken: boolean }>(db, sql, [name])
      held = row?.taken === true
      return held
    },
    close: () => db.destroy(),
  }
}
