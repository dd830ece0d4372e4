import { dpp } from '../../../core/features/dpp/area.ts'
import { enrolModels } from '../../../core/features/dpp/publishing/trust.ts'
import { startStructureJob } from '../../../core/features/dpp/structure/structure.ts'
import { readSharedMintView } from '../../../core/features/dpp/tokens/mint.status.ts'
import { createJobStateSource, findJob, type JobRow } from '../../../core/features/jobs/index.ts'
import type { StateSource } from '../../../core/kernel/answer.ts'
import type { Context } from '../../../core/kernel/work.ts'
import type { Knex } from 'knex'

/** Starts one structure job for all of these passports, which no publish of a test brings together. @returns the job */
export async function startStructure(context: Context, organization: string, ids: readonly string[]): Promise<string> {
  const job = await context.db.transaction((trx) => startStructureJob(trx, context, organization, ids))
  if (job === null) throw new Error('There is no structure job without passports')
  return job
}

/** Creates what a stream of a mint job reads from. */
export const createMintSource = (context: Context, job: string): StateSource =>
  createJobStateSource(context, job, (row: JobRow) => readSharedMintView(context.db, row, {}))

/** Gives the job of a claim up, as the worker does after the last attempt. */
export async function abandonClaim(context: Context, job: string): Promise<void> {
  const row = await findJob(context.db, job)
  const declaration = dpp.jobs.find(({ type }) => type === 'claim')
  if (!row || !declaration?.handleFailure) throw new Error(`Job ${job} cannot be given up`)
  const { handleFailure } = declaration
  await context.db.transaction((trx) => handleFailure(trx, { ...row, attempt: row.attempts }, context))
}

/** Enrols models as a publish job does with those that it published. @returns the ids of those that were not enrolled yet */
export const enrolPublishedModels = (db: Knex, ids: readonly string[]): Promise<string[]> =>
  db.transaction((trx) => enrolModels(trx, ids))
