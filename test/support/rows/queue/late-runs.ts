import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/** Gives a job for an hour to a run that does not come to its end. @returns the run */
export async function beginLateRun(db: Knex, job: string): Promise<string> {
  const run = randomUUID()
  await db('jobs')
    .where({ id: job })
    .update({ lease_holder: run, lease_until: db.raw(`now() + interval '1 hour'`) })
  return run
}

/** Completes a job as a run does that comes to its end late. @returns whether the job was still its own */
export async function completeLateRun(
  db: Knex,
  job: string,
  { run, result }: { run: string; result: object },
): Promise<boolean> {
  const count = await db('jobs')
    .where({ id: job, lease_holder: run })
    .update({ status: 'completed', result: JSON.stringify(result) })
  return count > 0
}
