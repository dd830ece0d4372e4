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

/** Lists the statements of the database's clients that have been running for two seconds. */
export async function listSlowStatements(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { query: string }[] }>(
    `select query from pg_stat_activity
     where datname = current_database() and state <> 'idle' and query_start < now() - interval '2 seconds'`,
  )
  return rows.map(({ query }) => query)
}

export interface OpenTransaction {
  state: string
  /** Its last statement. */
  query: string
}

/** Lists the transactions that API processes have held open for half a second. */
export async function listLongTransactions(db: Knex): Promise<OpenTransaction[]> {
  const { rows } = await db.raw<{ rows: OpenTransaction[] }>(
    `select state, query from pg_stat_activity
     where application_name like 'tessera-server%' and xact_start < now() - interval '500 ms'`,
  )
  return rows
}
