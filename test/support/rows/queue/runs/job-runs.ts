import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { Job, JobType } from '../../../../../core/kernel/job.ts'

/** Who runs a job and when it may run. */
export interface JobRunState {
  status: Job['status']
  attempts: number
  /** The run that has the job. */
  holder: string | null
  /** The number of the worker of that run. */
  worker: number | null
  /** The end of the lease. */
  heldUntil: Date | null
  /** The seconds until the job may run; negative once it may. */
  dueInSeconds: number
  isWoken: boolean
  /** Whether it counts towards the limit of its organization. */
  isCounted: boolean
}

/** Reads who runs these jobs and when they may run, in the order of the ids. */
export async function readJobRuns(db: Knex, ids: readonly string[]): Promise<JobRunState[]> {
  const rows = await db('jobs')
    .whereRaw('id = any(?::uuid[])', [ids as string[]])
    .select<(JobRunState & { id: string })[]>(
      'id',
      'status',
      'attempts',
      'lease_holder as holder',
      'lease_worker as worker',
      'lease_until as heldUntil',
      'woken as isWoken',
      'counted as isCounted',
      db.raw('extract(epoch from due_at - clock_timestamp())::float8 as "dueInSeconds"'),
    )
  return ids.map((wanted) => {
    const row = rows.find(({ id }) => id === wanted)
    if (!row) throw new Error(`There is no job ${wanted}`)
    const { id: _, ...state } = row
    return state
  })
}

/** Reads who runs a job and when it may run. */
export async function readJobRun(db: Knex, id: string): Promise<JobRunState> {
  const [state] = await readJobRuns(db, [id])
  if (!state) throw new Error(`There is no job ${id}`)
  return state
}

/** Lets a job have been tried so often, without success. */
export async function setAttempts(db: Knex, job: string, attempts: number): Promise<void> {
  await db('jobs').where({ id: job }).update({ attempts })
}

/** Lets the run that has a job lose it in so many seconds unless it renews its lease. */
export async function shortenLease(db: Knex, job: string, { seconds }: { seconds: number }): Promise<void> {
  await db('jobs')
    .where({ id: job })
    .update({ lease_until: db.raw(`clock_timestamp() + interval '1 s' * ?`, [seconds]) })
}

/** Jobs that wait and count towards the limit of their organization. */
export interface WaitingJobs {
  organization: string
  type: JobType
  count: number
  /** The seconds that one of them has waited; the others come now. */
  oldestSeconds?: number
}

/** Inserts jobs that wait and count towards the limit of their organization, without asking whether they may. */
export async function insertWaitingJobs(
  db: Knex,
  { organization, type, count, oldestSeconds = 0 }: WaitingJobs,
): Promise<void> {
  await db('jobs').insert(
    Array.from({ length: count }, (_, at) => ({
      id: v7(),
      type,
      organization,
      total: 1,
      payload: {},
      counted: true,
      created_at: db.raw(`clock_timestamp() - interval '1 s' * ?`, [at === 0 ? oldestSeconds : 0]),
    })),
  )
}

/** Deletes the jobs of an organization, which no other test has. */
export async function deleteJobsOf(db: Knex, organization: string): Promise<void> {
  await db('jobs').where({ organization }).delete()
}

/** Completes a job with this result, whoever runs it. */
export async function completeJob(db: Knex, job: string, result: object): Promise<void> {
  await db('jobs')
    .where({ id: job })
    .update({ status: 'completed', result: JSON.stringify(result) })
}

/** Gives a job to a run of nobody for so many seconds, or to one whose lease ended so many seconds ago. */
export async function leaseJobToNobody(db: Knex, job: string, { seconds }: { seconds: number }): Promise<void> {
  await db('jobs')
    .where({ id: job })
    .update({
      lease_holder: randomUUID(),
      lease_until: db.raw(`clock_timestamp() + interval '1 s' * ?`, [seconds]),
      attempts: 1,
    })
}
