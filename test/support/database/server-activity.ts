import type { Knex } from 'knex'
import type pg from 'pg'

/** Reads what time it is for the database, which may have another clock than the test. */
export async function readServerTime(db: Knex): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ at: Date }] }>('select clock_timestamp() as at')
  return rows[0].at
}

/** Measures the database with all its tables and indexes. @returns its bytes */
export async function measureDatabase(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ bytes: string }] }>(
    'select pg_database_size(current_database())::text as bytes',
  )
  return Number(rows[0].bytes)
}

/** Finds the port from which the sender is connected that may send: its connection has the lock. Undefined while none has. */
export async function findSendingPort(db: Knex): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: { port: number }[] }>(
    `select client_port as port from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and application_name = 'tessera sender'`,
  )
  return rows[0]?.port
}

/** Creates an empty database of this name that belongs to the role of the product. */
export async function createEmptyDatabase(superuser: pg.Client, name: string): Promise<void> {
  await superuser.query(`create database ${superuser.escapeIdentifier(name)} owner tessera`)
}

/** Creates rows that `forceCheckpoint` changes, so many that a checkpoint has something to write. */
export async function createChurnedRows(superuser: pg.Client, count: number): Promise<void> {
  await superuser.query(
    `create table churned as select n, repeat('x', 300) as text from generate_series(1, ${count}) n`,
  )
}

/** Changes the rows of `createChurnedRows` and lets the server write them in a checkpoint. */
export async function forceCheckpoint(superuser: pg.Client): Promise<void> {
  await superuser.query('update churned set text = repeat(md5(random()::text), 10)')
  await superuser.query('checkpoint')
}

/** Lists the processes of the server that write checkpoints, by their numbers in the system. */
export async function listCheckpointers(superuser: pg.Client): Promise<number[]> {
  const { rows } = await superuser.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  )
  return rows.map(({ pid }) => pid)
}
