import type { Context } from '../../../core/kernel/work.ts'
import { startStructureJob } from '../../../core/features/dpp/structure/structure.ts'

/** Starts one structure job for all of these passports, which no publish of a test brings together. @returns the job */
export async function startStructure(context: Context, organization: string, ids: readonly string[]): Promise<string> {
  const job = await context.db.transaction((trx) => startStructureJob(trx, context, organization, ids))
  if (job === null) throw new Error('There is no structure job without passports')
  return job
}
