import type { Knex } from 'knex'

/** Counts the jobs of an organization that have not ended. */
export async function countPendingJobs(db: Knex, organization: string): Promise<number> {
  const [row] = await db('jobs').where({ organization, status: 'pending' }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Deletes a job, as retention does one day. */
export async function deleteJob(db: Knex, job: string): Promise<void> {
  await db('jobs').where({ id: job }).delete()
}
