import type { Knex } from 'knex'

/** Counts the connections of the API's processes to the database. */
export async function countServerConnections(db: Knex): Promise<number> {
  const [row] = await db('pg_stat_activity')
    .where({ application_name: 'tessera-server' })
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the connections that wait for a lock of this transaction. Locks are never a snapshot, unlike activity. */
export async function countWaitingConnections(trx: Knex): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
    `select count(distinct pid)::int from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
  )
  return rows[0].count
}
