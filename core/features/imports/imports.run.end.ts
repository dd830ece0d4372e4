import type { Knex } from 'knex'
import { faultPoint } from '../../kernel/fault.ts'
import type { Outcome, Run } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import { releaseStructure } from '../dpp/index.ts'
import { rememberEtag } from './fetch.ts'
import type { ImportConfig, ImportState } from './imports.run.ts'
import type { InitError } from './imports.types.ts'

/** Keys of a dry run that one transaction removes. */
const keysAtOnce = 50_000

/** Ends an import that was read to its end. */
export async function endWell(run: Run, { job, mapper, dryRun }: ImportConfig, state: ImportState): Promise<Outcome> {
  if (dryRun) await removeKeys(run, job)
  faultPoint('import.ending', { job })
  await run.step(async (trx) => {
    if (mapper !== null && state.etag) await rememberEtag(trx, { job, mapper, etag: state.etag })
    await finish(trx, run.context, job, state, null)
  })
  return outcomeOf(run.context.db, job)
}

/** Ends an import whose file cannot be read any further. What was stored stays. */
export async function endAt(run: Run, { job }: ImportConfig, state: ImportState, cause: InitError): Promise<Outcome> {
  await run.step((trx) => finish(trx, run.context, job, state, cause))
  return outcomeOf(run.context.db, job)
}

/**
 * Marks an import as ended, in the caller's transaction: its file goes, the structure of what it made is looked at.
 * Does nothing to one that has ended. @param cause why it did not come to its end
 */
export async function finish(
  trx: Knex, context: Context, job: string, { structure, hung }: ImportState,
  cause: { code: string; message: string } | null,
): Promise<void> {
  const { code, message } = cause ?? {}
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update imports set finished_at = now(), bytes_done = case when ?::jsonb is null then bytes else bytes_done end,
       init_error = ?::jsonb
     where job = ? and finished_at is null`,
    [...Array.from({ length: 2 }, () => (cause ? JSON.stringify({ code, message }) : null)), job] as Knex.RawBinding[])
  if (rowCount === 0) return
  await trx('import_uploads').where({ job }).delete()
  if (structure && hung) await releaseStructure(trx, context, structure, hung)
}

interface Ended { created: number; updated: number; skipped: number; failed: number; init_error: InitError | null }

/** How an import that has ended shows itself, however often it is asked. */
export async function outcomeOf(db: Knex, job: string): Promise<Outcome> {
  const { rows: [ended] } = await db.raw<{ rows: Ended[] }>(
    `select created, updated, skipped, failed, init_error from imports join jobs on jobs.id = imports.job
     where job = ?`, [job])
  if (!ended) throw new Error(`Import ${job} is gone`)
  const { init_error: initError, ...result } = ended
  if (initError) return { status: 'failed', code: initError.code, message: initError.message }
  const { created, updated, skipped, failed } = result
  if (failed > 0 && created + updated + skipped === 0) {
    return { status: 'failed', code: 'IMPORT_FAILED', message: 'No row could be imported; each one has an error.' }
  }
  return { status: 'completed', result }
}

async function removeKeys({ step }: Run, job: string): Promise<void> {
  for (let removed = keysAtOnce; removed === keysAtOnce;) {
    removed = await step(async (trx) => {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `delete from import_keys
         where ctid = any(array(select ctid from import_keys where job = ? limit ${keysAtOnce}))`, [job])
      return rowCount
    })
  }
}
