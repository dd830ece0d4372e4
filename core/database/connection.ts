import knex, { type Knex } from 'knex'
import pg from 'pg'
import { DirectQuery } from './direct-query.ts'

export interface ConnectionOptions {
  url: string
  name: string
  maxConnections?: number
  /** Uses shorter timeouts, for a process whose callers wait. */
  hasShortTimeouts?: boolean
  /** Reports the first error of a connection attempt instead of trying again until the timeout. */
  failsAtOnce?: boolean
  /** Turns off the timeouts of statements and transactions, for migrations. */
  withoutTimeouts?: boolean
}

/** Timeouts in milliseconds. */
interface ConnectionTimeouts {
  connectionMs: number
  answerMs: number
  statementMs: number
}
const defaultTimeouts: ConnectionTimeouts = { connectionMs: 8_000, answerMs: 15_000, statementMs: 10_000 }
/**
 * The timeouts of connection and answer add up to less than 10 s, the longest that a request waits for a stopped
 * database.
 */
const shortTimeouts: ConnectionTimeouts = { connectionMs: 3_000, answerMs: 6_500, statementMs: 6_000 }

/**
 * Creates the connection pool of this process. The server ends a statement after 10 s (6 s with `hasShortTimeouts`) and
 * an idle transaction after 30 s; a server that does not answer for longer counts as gone. Error messages contain
 * statements but never their values. BIGINT is read as a number: no count here exceeds 2^53.
 */
export function connectDatabase({
  url,
  name,
  maxConnections = 30,
  hasShortTimeouts = false,
  failsAtOnce = false,
  withoutTimeouts = false,
}: ConnectionOptions): Knex {
  const timeouts = hasShortTimeouts ? shortTimeouts : defaultTimeouts
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  return knex({
    client: 'pg',
    connection: {
      ...createClientSettings(url, name, timeouts),
      connectionTimeoutMillis: Math.min(timeouts.connectionMs, 5_000),
      ...(withoutTimeouts ? { query_timeout: 0 } : {}),
    },
    pool: {
      min: 0,
      max: maxConnections,
      acquireTimeoutMillis: timeouts.connectionMs,
      propagateCreateError: failsAtOnce,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        destroyWhenSilent(connection)
        if (withoutTimeouts) connection.query(withoutLimitsSql, (error) => done(error, connection))
        else done(null, connection)
      },
    },
    compileSqlOnError: false,
    // The message about an idle connection that ended would be plain text between the log lines. A query that waits on
    // the connection gets the error itself.
    log: { warn: () => undefined },
    asyncStackTraces: false,
  })
}

/** SQL that turns off the timeouts, including those that are set for the role or the database. */
const withoutLimitsSql = 'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0'

const createClientSettings = (url: string, name: string, timeouts: ConnectionTimeouts) => ({
  connectionString: url,
  application_name: name,
  query_timeout: timeouts.answerMs,
  statement_timeout: timeouts.statementMs,
  idle_in_transaction_session_timeout: 30_000,
  keepAlive: true,
})

/**
 * A statement that each connection plans once. A name must always stand for the same text; without a name, the
 * statement is planned on every execution.
 */
export interface Statement {
  readonly name?: string
  readonly text: string
}

/** Direct access through the driver, for single statements that are sent often. */
export interface DirectDatabase {
  queryRows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
  /** Runs a statement and returns its rows, or null if the server takes longer than `timeoutMs` milliseconds. */
  queryRowsWithin<Row>(timeoutMs: number, statement: Statement, values: readonly unknown[]): Promise<Row[] | null>
}

/**
 * Creates the direct access to the connections of `db`: those of its pool, or the single one of its transaction. It
 * calls the driver without a query builder, which would cost half as much again for a short statement.
 */
export function createDirectDatabase(db: Knex): DirectDatabase {
  return {
    queryRows: (statement, values) => withConnection(db, (connection) => queryRows(connection, statement, values)),
    queryRowsWithin: (timeoutMs, statement, values) =>
      withConnection(db, (connection) => queryRowsWithin(connection, timeoutMs, statement, values)),
  }
}

async function withConnection<T>(db: Knex, work: (connection: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = db.client as Knex.Client
  const connection = (await client.acquireConnection()) as pg.ClientBase
  try {
    return await work(connection)
  } finally {
    await client.releaseConnection(connection)
  }
}

/** Runs a statement. It is called with a callback, because `destroyWhenSilent` looks at those. */
function queryRows<Row>(connection: pg.ClientBase, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const callback: QueryCallback = (error, rows) => {
      if (error) reject(error)
      else resolve(rows as Row[])
    }
    ;(connection as unknown as DriverConnection).query(new DirectQuery(statement, values), callback)
  })
}

/** Runs statements without values, whose results nobody reads. */
function runText(connection: pg.ClientBase, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(text, (error: Error | null) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

async function queryRowsWithin<Row>(
  connection: pg.ClientBase,
  timeoutMs: number,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[] | null> {
  try {
    await runText(connection, `begin read only; set local statement_timeout = ${timeoutMs}`)
    const rows = await queryRows<Row>(connection, statement, values)
    await runText(connection, 'commit')
    return rows
  } catch (cause) {
    // A connection that cannot do this has ended, and the pool drops it.
    await runText(connection, 'rollback').catch(() => undefined)
    if (isCanceled(cause)) return null
    throw cause
  }
}

/**
 * Checks whether the server canceled a statement, as it does after a timeout. Source: PostgreSQL, appendix A,
 * query_canceled.
 */
export const isCanceled = (cause: unknown): boolean => (cause as { code?: unknown } | null)?.code === '57014'

/** The error codes of the system, of a connection that broke or could not be made. Source: errno(3). */
const brokenConnectionCodes = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * Checks whether a statement failed because its connection ended, so that what it did may have been committed all the
 * same. Source: PostgreSQL, appendix A, class 08 and the states 57P of a server that ends.
 */
export function isConnectionLost(cause: unknown): boolean {
  const { code, message = '' } = (cause ?? {}) as { code?: unknown; message?: string }
  const isLostByCode = typeof code === 'string' && (/^(08|57P)/.test(code) || brokenConnectionCodes.has(code))
  return isLostByCode || /^Connection terminated|^Query read timeout/.test(message)
}

type DriverQuery = (...args: unknown[]) => unknown
type QueryCallback = (error: Error | null, result: unknown) => void
interface DriverConnection {
  query: DriverQuery
  connection: { stream: { destroy(error: Error): void } }
}

/**
 * Closes a connection whose server did not answer in time. Otherwise every later statement would wait behind the same
 * statement, and a server that disappeared would be asked forever.
 */
function destroyWhenSilent(client: pg.ClientBase): void {
  const connection = client as unknown as DriverConnection
  const query = connection.query.bind(connection)
  connection.query = (...args) => {
    const lastArgument = args.at(-1)
    if (typeof lastArgument !== 'function') return query(...args)
    const originalCallback = lastArgument as QueryCallback
    const callback: QueryCallback = (error, result) => {
      if (error?.message === 'Query read timeout') connection.connection.stream.destroy(error)
      originalCallback(error, result)
    }
    return query(...args.slice(0, -1), callback)
  }
}
