import type { Knex } from 'knex'

/**
 * Does the work while this process alone holds the lock of that number; others wait for their turn. The lock is the
 * connection's, so it ends with the process however that ends. Source: PostgreSQL, advisory locks.
 */
export async function withAdvisoryLock<T>(db: Knex, number: number, work: () => Promise<T>): Promise<T> {
  const holder = await db.client.acquireConnection() as { query(sql: string, values: unknown[]): Promise<unknown> }
  try {
    await holder.query('select pg_advisory_lock($1)', [number])
    return await work()
  } finally {
    await holder.query('select pg_advisory_unlock($1)', [number])
    await db.client.releaseConnection(holder)
  }
}

/**
 * Makes this transaction the only one, until its end, that holds the lock of that name; others wait for their turn.
 * Two names with one hash wait for each other and nothing worse. Source: PostgreSQL, advisory locks.
 */
export async function lockByName(trx: Knex, name: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name])
}
