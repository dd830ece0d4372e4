import type { Knex } from 'knex'

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
