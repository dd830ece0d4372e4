import knex, { type Knex } from 'knex'
import pg from 'pg'

export interface ConnectionOptions { url: string; name: string; max?: number }

/**
 * The pool of this process. Statements end after 10 s, so that nothing waits for ever on a stopped server;
 * a transaction left open is ended by the server after 30 s. BIGINT is read as a number: no count here passes 2^53.
 */
export function connect({ url, name, max = 20 }: ConnectionOptions): Knex {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: 5_000,
      query_timeout: 15_000,
      statement_timeout: 10_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
    },
    pool: { min: 0, max, acquireTimeoutMillis: 8_000, propagateCreateError: false },
    asyncStackTraces: false,
  })
}
