import type { Knex } from 'knex'

/** Deletes a job, as retention does one day. */
export async function deleteJob(db: Knex, job: string): Promise<void> {
  await db('jobs').where({ id: job }).delete()
}
