import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { JobType } from '../../../../core/kernel/job.ts'
import type { LeasedJobRow } from '../../../../core/queue/engine/leases.ts'

/** A job that a run holds: a `mint` of three units of which one is done, unless its members say otherwise. */
export interface NewLeasedJob {
  organization: string
  type?: JobType
  total?: number
  completed?: number
  attempts?: number
  /** The number of the worker that runs it. */
  worker?: number | null
  /** The seconds until the lease ends; negative for one that has ended. */
  leaseSeconds?: number
}

/** Inserts jobs that a run holds, as the statement that takes jobs leaves and returns them. */
export async function insertLeasedJobs(db: Knex, jobs: readonly NewLeasedJob[]): Promise<LeasedJobRow[]> {
  const rows = jobs.map(
    ({
      organization,
      type = 'mint',
      total = 3,
      completed = 1,
      attempts = 1,
      worker = null,
      leaseSeconds: seconds = 5,
    }) => ({
      id: v7(),
      organization,
      type,
      total,
      completed,
      attempts,
      payload: { units: total },
      state: { at: 1 },
      lease_holder: randomUUID(),
      lease_worker: worker,
      lease_until: db.raw('now() + make_interval(secs => ?)', [seconds]),
    }),
  )
  const inserted = await db('jobs').insert(rows).returning<LeasedJobRow[]>('*')
  return inserted.map((row) => ({ ...row, weight: 1 }))
}

/** Who holds a job and until when, and when it is due, in seconds from now by the clock of the database. */
export interface JobLease {
  holder: string | null
  worker: number | null
  leaseSeconds: number | null
  dueInSeconds: number
}

/** Reads the lease of a job, which no answer shows. */
export async function readLease(db: Knex, job: string): Promise<JobLease> {
  const row = await db('jobs')
    .where({ id: job })
    .first<JobLease | undefined>(
      'lease_holder as holder',
      'lease_worker as worker',
      db.raw(
        `extract(epoch from lease_until - clock_timestamp())::float8 as "leaseSeconds", extract(epoch from due_at - clock_timestamp())::float8 as "dueInSeconds"`,
      ),
    )
  if (!row) throw new Error(`There is no job ${job}`)
  return row
}

/** Checks whether an open transaction has locked a job, as a step does. */
export async function isJobLocked(db: Knex, job: string): Promise<boolean> {
  const free = await db('jobs').where({ id: job }).forUpdate().skipLocked().first<{ id: string } | undefined>('id')
  return free === undefined
}

/** Deletes the jobs of an organization that only one test uses. */
export async function deleteJobsOf(db: Knex, organization: string): Promise<void> {
  await db('jobs').where({ organization }).delete()
}

/** Gives a job to a new run of this worker, as if the answer that says so had never reached the worker. */
export async function leaseJobToWorker(
  db: Knex,
  job: string,
  { worker, seconds }: { worker: number; seconds: number },
): Promise<void> {
  await db('jobs')
    .where({ id: job })
    .update({
      lease_holder: randomUUID(),
      lease_worker: worker,
      lease_until: db.raw('now() + make_interval(secs => ?)', [seconds]),
      attempts: 1,
    })
}

/** Gives the lease of a job to a run of nobody, which is how a run loses it to another one. @returns the other run */
export async function passLeaseOn(db: Knex, job: string): Promise<string> {
  const holder = randomUUID()
  await db('jobs').where({ id: job }).update({ lease_holder: holder, lease_worker: null })
  return holder
}
