import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

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
