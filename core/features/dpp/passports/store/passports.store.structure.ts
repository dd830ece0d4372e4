import type { Knex } from 'knex'
import { structureJobStatus } from '../passports.machine.ts'

/** Queues passports for a job that finds their parents. It takes over passports that an earlier job has not reached. */
export async function queueStructure(trx: Knex, job: string, passports: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports
     set structure_job = ?, ${structureJobStatus.set('queue')}, structure_job_error = null, updated_at = now()
     where id = any(?::uuid[])`,
    [job, passports as string[]],
  )
}

/** Stores what a structure job came to for each passport. A passport without error is completed. */
export async function completeStructure(
  trx: Knex,
  outcomes: readonly { passport: string; error: string | null }[],
): Promise<void> {
  await trx.raw(
    `update passports set ${structureJobStatus.setWhen('done.error is null', 'complete', 'fail')},
       structure_job_error = done.error, updated_at = now()
     from unnest(?::uuid[], ?::text[]) as done (passport, error)
     where passports.id = done.passport`,
    [outcomes.map(({ passport }) => passport), outcomes.map(({ error }) => error)] as Knex.RawBinding[],
  )
}
