import type { Knex } from 'knex'
import type { Job } from '../../../../core/kernel/job.ts'

/** How far a job is. What is left out stays as it is. */
export interface JobProgressOptions {
  status?: Job['status']
  total?: number
  completed?: number
}

/** Writes how far a job is, as its worker would: the test decides when a reader hears of it. */
export async function writeJobProgress(db: Knex, id: string, progress: JobProgressOptions): Promise<void> {
  const { status, total, completed } = progress
  await db('jobs').where({ id }).update({ status, total, completed })
}
