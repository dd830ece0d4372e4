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

/** Reads what all jobs were given, keep and have come to as one text, in which a test looks for what must not be there. */
export async function readJobsText(db: Knex): Promise<string> {
  return JSON.stringify(await db('jobs').select('payload', 'state', 'result', 'errors'))
}
