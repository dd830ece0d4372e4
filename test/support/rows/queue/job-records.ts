import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { JobType } from '../../../../core/kernel/job.ts'

/** Counts the pending jobs of these types, of whatever organization. */
export async function countPendingJobsOfTypes(db: Knex, types: readonly JobType[]): Promise<number> {
  const [row] = await db('jobs').where({ status: 'pending' }).whereIn('type', types).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the jobs of a type that an organization has had completed. */
export async function countCompletedJobs(
  db: Knex,
  { organization, type }: { organization: string; type: JobType },
): Promise<number> {
  const [row] = await db('jobs').where({ organization, type, status: 'completed' }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Puts a job off for some seconds by the clock of the database. */
export async function putJobOff(db: Knex, id: string, { seconds }: { seconds: number }): Promise<void> {
  await db('jobs')
    .where({ id })
    .update({ due_at: db.raw('now() + make_interval(secs => ?)', [seconds]) })
}

/** Gives a job to a run that nobody knows, for as long as a lease lasts. */
export async function holdJob(db: Knex, id: string): Promise<void> {
  await db('jobs')
    .where({ id })
    .update({ lease_holder: randomUUID(), lease_until: db.raw(`now() + interval '10 s'`) })
}

/** Dates a due job as if it had been written some seconds later than it is now. */
export async function dateJobAhead(db: Knex, id: string, { seconds }: { seconds: number }): Promise<void> {
  const later = db.raw('now() + make_interval(secs => ?)', [seconds])
  await db('jobs').where({ id }).update({ created_at: later, updated_at: later, due_at: later })
}

/** Reads what all jobs were given, keep and have come to as one text, in which a test looks for what must not be there. */
export async function readJobsText(db: Knex): Promise<string> {
  return JSON.stringify(await db('jobs').select('payload', 'state', 'result', 'errors'))
}
