import pg from 'pg'
import { demand } from '../settings.ts'
import { operatorSettings } from './admin.surroundings.ts'

/** The database as a command sees it that only reads. */
export interface Reader {
  rows<Row>(sql: string, values: readonly unknown[]): Promise<Row[]>
}

/** Milliseconds for a connection, and for an answer. */
const patience = { connection: 5_000, answer: 15_000 }

/** Reads while a command runs: over one connection, in a transaction that can change nothing. */
export async function reading<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
  const { databaseUrl } = demand(operatorSettings(process.env), 'databaseUrl')
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const client = new pg.Client({
    connectionString: databaseUrl, application_name: 'tessera-admin', connectionTimeoutMillis: patience.connection,
    query_timeout: patience.answer, options: '-c default_transaction_read_only=on',
  })
  // A lost connection also rejects the query in hand.
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
