import knex, { type Knex } from 'knex'
import pg from 'pg'

export interface ConnectionOptions {
  url: string
  name: string
  max?: number
  /** For a process whose callers wait: everything is given up sooner. */
  quick?: boolean
  /** For migrations: no statement and no transaction is ended for the time that it takes. */
  unlimited?: boolean
}

/** Milliseconds. */
interface Patience {
  connection: number
  answer: number
  statement: number
}
const patient: Patience = { connection: 8_000, answer: 15_000, statement: 10_000 }
/** Connection and answer together stay below 10 s, the longest that a request waits for a database that is stopped. */
const quickly: Patience = { connection: 3_000, answer: 6_500, statement: 6_000 }

/**
 * The pool of this process. The server ends a statement after 10 s (6 s where it has to be quick) and a transaction left
 * open after 30 s; a server that says nothing for longer is taken for gone. Messages of errors carry statements, never
 * their values. BIGINT is read as a number: no count here passes 2^53.
 */
export function connect({ url, name, max = 20, quick = false, unlimited = false }: ConnectionOptions): Knex {
  const patience = quick ? quickly : patient
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  return knex({
    client: 'pg',
    connection: {
      ...clientSettings(url, name, patience),
      connectionTimeoutMillis: Math.min(patience.connection, 5_000),
      ...(unlimited ? { query_timeout: 0 } : {}),
    },
    pool: {
      min: 0,
      max,
      acquireTimeoutMillis: patience.connection,
      propagateCreateError: false,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        leaveWhenSilent(connection)
        if (unlimited) connection.query(withoutLimits, (error) => done(error, connection))
        else done(null, connection)
      },
    },
    compileSqlOnError: false,
    // Of an idle connection that ends; who waits on one hears of it itself. It would stand as bare text between the lines of the log.
    log: { warn: () => undefined },
    asyncStackTraces: false,
  })
}

/** Also against limits that the role or the database has by itself. */
const withoutLimits = 'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0'

const clientSettings = (url: string, name: string, patience: Patience) => ({
  connectionString: url,
  application_name: name,
  query_timeout: patience.answer,
  statement_timeout: patience.statement,
  idle_in_transaction_session_timeout: 30_000,
  keepAlive: true,
})

/** A statement that is planned once a connection. One name stands for one text; without a name it is planned anew. */
export interface Statement { readonly name?: string; readonly text: string }

/** Single statements outside any transaction, straight through the driver: for what is asked most. */
export interface Direct {
  rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
  /** The same, null where it takes the server longer than so many milliseconds. */
  rowsWithin<Row>(milliseconds: number, statement: Statement, values: readonly unknown[]): Promise<Row[] | null>
  close(): Promise<void>
}

/** A pool beside that of `connect`, under the same time limits. Its connections are made when they are needed. */
export function connectDirectly({ url, name, max = 10, quick = false }: ConnectionOptions): Direct {
  const patience = quick ? quickly : patient
  const pool = new pg.Pool({
    ...clientSettings(url, name, patience), max, connectionTimeoutMillis: patience.connection,
  })
  pool.on('connect', (client) => leaveWhenSilent(client))
  // An idle connection that ends is replaced when the next one is needed; who was waiting on it hears of it itself.
  pool.on('error', () => undefined)
  return {
    async rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      const { rows } = await pool.query<Row & pg.QueryResultRow>({ ...statement, values: values as unknown[] })
      return rows
    },
    async rowsWithin<Row>(milliseconds: number, statement: Statement, values: readonly unknown[]): Promise<Row[] | null> {
      const client = await pool.connect()
      try {
        await client.query(`begin read only; set local statement_timeout = ${milliseconds}`)
        const { rows } = await client.query<Row & pg.QueryResultRow>({ ...statement, values: values as unknown[] })
        await client.query('commit')
        client.release()
        return rows
      } catch (cause) {
        const isLate = isCanceled(cause)
        // A connection whose transaction cannot be ended is of no more use.
        await client.query('rollback').then(() => client.release(), (error: Error) => client.release(error))
        if (isLate) return null
        throw cause
      }
    },
    close: () => pool.end(),
  }
}

/** Whether the server ended a statement because of its time. Source: PostgreSQL, appendix A, query_canceled. */
export const isCanceled = (cause: unknown): boolean => (cause as { code?: unknown } | null)?.code === '57014'

type Query = (...args: unknown[]) => unknown
type Callback = (error: Error | null, result: unknown) => void
interface Connection {
  query: Query
  connection: { stream: { destroy(error: Error): void } }
}

/**
 * A connection whose server did not answer in time is cut: whatever was sent after it would wait behind the same
 * statement, and a server that is gone without a word would be asked for ever.
 */
function leaveWhenSilent(client: pg.ClientBase): void {
  const connection = client as unknown as Connection
  const query = connection.query.bind(connection)
  connection.query = (...args) => {
    const told = args.at(-1)
    if (typeof told !== 'function') return query(...args)
    const tell = told as Callback
    const callback: Callback = (error, result) => {
      if (error?.message === 'Query read timeout') connection.connection.stream.destroy(error)
      tell(error, result)
    }
    return query(...args.slice(0, -1), callback)
  }
}
