import type { Knex } from 'knex'

/**
 * Runs `work` while this process holds the advisory lock with that number; other processes wait. The lock belongs to
 * the connection, so it ends when the process ends for any reason. Source: PostgreSQL, advisory locks.
 */
export async function withAdvisoryLock<T>(db: Knex, number: number, work: () => Promise<T>): Promise<T> {
  const holder = (await db.client.acquireConnection()) as { query(sql: string, values: unknown[]): Promise<unknown> }
  try {
    await holder.query('select pg_advisory_lock($1)', [number])
    return await work()
  } finally {
    await holder.query('select pg_advisory_unlock($1)', [number])
    await db.client.releaseConnection(holder)
  }
}

/**
 * Takes the advisory lock with that name together with other transactions that share it, until the end of the transaction.
 * Who takes it alone waits for all of them. Source: PostgreSQL, advisory locks.
 */
export async function shareLockByName(trx: Knex, name: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock_shared(hashtextextended(?, 0))', [name])
}

/**
 * Takes the advisory lock with that name until the end of the transaction; other transactions wait. Two names with the
 * same hash only wait for each other. Source: PostgreSQL, advisory locks.
 */
export async function lockByName(trx: Knex, name: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name])
}
