import pg from 'pg'
import { assertSettings } from '../../app/settings.ts'
import { readOperatorSettings } from './admin.settings.ts'

/** The database, for a command that only reads. */
export interface DatabaseReader {
  rows<Row>(sql: string, values: readonly unknown[]): Promise<Row[]>
}

/** Timeouts in milliseconds: for a connection, and for an answer. */
const timeoutsMs = { connection: 5_000, answer: 15_000 }

/** Runs `work` over one connection whose transactions can change nothing. */
export async function withReader<T>(work: (reader: DatabaseReader) => Promise<T>): Promise<T> {
  const { databaseUrl } = assertSettings(readOperatorSettings(process.env), 'databaseUrl')
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tessera-admin',
    connectionTimeoutMillis: timeoutsMs.connection,
    query_timeout: timeoutsMs.answer,
    options: '-c default_transaction_read_only=on',
  })
  // A lost connection also rejects the current query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work({
      async rows<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
        const { rows } = await client.query<Row & pg.QueryResultRow>(sql, values as unknown[])
        return rows
      },
    })
  } finally {
    await client.end()
  }
}
