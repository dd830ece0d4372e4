import type { Job, JobType } from '../../../../core/kernel/job.ts'
import type { Knex } from 'knex'
import { randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/** A job of one unit to write: a pending `mint` that is due and that no run holds, unless its members say otherwise. */
export interface NewJobRow {
  organization: string
  type?: JobType
  status?: Job['status']
  payload?: object
  /** When it began and when it changed last. */
  at?: Date
  /** The seconds until it may run; negative for a job that has been due for a while. */
  dueInSeconds?: number
  /** The seconds for which a run still holds it. */
  leaseSeconds?: number
}

/** Inserts jobs in any state and of any age, without a notice to a worker. @returns their ids */
export async function insertJobs(db: Knex, jobs: readonly NewJobRow[]): Promise<string[]> {
  const rows = jobs.map((job) => ({ id: v7(), ...createValues(db, job) }))
  await db.batchInsert('jobs', rows, 1_000)
  return rows.map(({ id }) => id)
}

const createValues = (
  db: Knex,
  { organization, type = 'mint', status = 'pending', payload = {}, at, dueInSeconds, leaseSeconds }: NewJobRow,
) => ({
  type,
  organization,
  status,
  total: 1,
  payload,
  ...(at && { created_at: at, updated_at: at }),
  ...(dueInSeconds !== undefined && { due_at: createInstant(db, dueInSeconds) }),
  ...(leaseSeconds !== undefined && { lease_until: createInstant(db, leaseSeconds), lease_holder: randomUUID() }),
})

const createInstant = (db: Knex, seconds: number) => db.raw('now() + make_interval(secs => ?)', [seconds])

/** Counts the jobs of an organization that have not ended. */
export async function countPendingJobs(db: Knex, organization: string): Promise<number> {
  const [row] = await db('jobs').where({ organization, status: 'pending' }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Deletes a job, as retention does one day. */
export async function deleteJob(db: Knex, job: string): Promise<void> {
  await db('jobs').where({ id: job }).delete()
}

/** Deletes all jobs of a database that no other test uses meanwhile. */
export async function deleteAllJobs(db: Knex): Promise<void> {
  await db('jobs').delete()
}
