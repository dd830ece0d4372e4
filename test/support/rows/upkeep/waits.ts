import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Seconds by which a row was written ahead of the clock of the database, and for which it was to wait from then on. */
export interface WrittenAhead {
  aheadSeconds: number
  waitSeconds: number
}

const instantIn = (db: Knex, seconds: number) => db.raw('now() + make_interval(secs => ?)', [seconds])

/** Inserts a job that waits, as a run wrote it before the clock was set back. @returns its id */
export async function insertWaitingJob(
  db: Knex,
  { organization, aheadSeconds, waitSeconds }: WrittenAhead & { organization: string },
): Promise<string> {
  const id = v7()
  await db('jobs').insert({
    id,
    type: 'mint',
    organization,
    total: 1,
    payload: {},
    updated_at: instantIn(db, aheadSeconds),
    due_at: instantIn(db, aheadSeconds + waitSeconds),
  })
  return id
}

/** Inserts a message that waits, as a courier wrote it before the clock was set back. @returns its id */
export async function insertWaitingMessage(db: Knex, { aheadSeconds, waitSeconds }: WrittenAhead): Promise<string> {
  const id = v7()
  await db('messages').insert({
    id,
    channel: 'email',
    recipient: 'a@b.example',
    subject: '',
    body: '',
    status: 'queued',
    updated_at: instantIn(db, aheadSeconds),
    due_at: instantIn(db, aheadSeconds + waitSeconds),
  })
  return id
}

/** Reads for how many seconds a job waits from now on. */
export const readJobWait = (db: Knex, id: string): Promise<number> => readWait(db, db('jobs').where({ id }))

/** Reads the instant until which a job waits. */
export async function readJobDueAt(db: Knex, id: string): Promise<Date> {
  const row = await db('jobs').where({ id }).first<{ due_at: Date } | undefined>('due_at')
  if (!row) throw new Error(`There is no job ${id}`)
  return row.due_at
}

/** Reads for how many seconds a message waits from now on. */
export const readMessageWait = (db: Knex, id: string): Promise<number> => readWait(db, db('messages').where({ id }))

async function readWait(db: Knex, rows: Knex.QueryBuilder): Promise<number> {
  const row = (await rows.first(db.raw('extract(epoch from due_at - now())::float8 as seconds'))) as
    { seconds: number } | undefined
  if (!row) throw new Error('What waits is gone')
  return row.seconds
}

/** Deletes a message. */
export async function deleteMessage(db: Knex, id: string): Promise<void> {
  await db('messages').where({ id }).delete()
}
