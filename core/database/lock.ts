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
