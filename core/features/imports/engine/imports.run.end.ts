import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { JobOutcome, JobRun } from '../../../kernel/job.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { RecordEntity } from '../../../kernel/words.ts'
import type { Context } from '../../../kernel/work.ts'
import { recordTallies } from '../../events/index.ts'
import { updateEtag } from './fetch.ts'
import type { ImportConfig, ImportState } from './imports.run.ts'
import type { InitError } from '../records/index.ts'

/** The number of keys of a dry run that one transaction deletes. */
const keyBatchSize = 50_000

/** Ends an import whose file was read to its end. */
export async function completeImport(
  run: JobRun,
  { job, mapper, dryRun }: ImportConfig,
  state: ImportState,
): Promise<JobOutcome> {
  if (dryRun) await deleteKeys(run, job)
  hitFaultPoint('import.ending', { job })
  await run.step(async (trx) => {
    if (mapper !== null && state.etag) await updateEtag(trx, { job, mapper, etag: state.etag })
    await finishImport(trx, run.context, job, state, null)
  })
  return readOutcome(run.context.db, job)
}

/** Ends an import whose file cannot be read any further. Rows that were stored before stay. */
export async function failImport(
  run: JobRun,
  { job }: ImportConfig,
  state: ImportState,
  cause: InitError,
): Promise<JobOutcome> {
  await run.step((trx) => finishImport(trx, run.context, job, state, cause))
  return readOutcome(run.context.db, job)
}

/**
 * Marks an import as ended in the caller's transaction, deletes its file and ends the work of the sink. Does nothing if the import has ended already.
 * @param cause why the import failed; null if it completed
 */
export async function finishImport(
  trx: Knex,
  context: Context,
  job: string,
  state: ImportState,
  cause: { code: string; message: string } | null,
): Promise<void> {
  const { code, message } = cause ?? {}
  const {
    rows: [ended],
  } = await trx.raw<{ rows: EndedImport[] }>(
    `update imports set finished_at = now(), bytes_done = case when ?::jsonb is null then bytes else bytes_done end,
       init_error = ?::jsonb
     where job = ? and finished_at is null
     returning entity_name as entity, organization, application, dry_run as "isDryRun"`,
    [...Array.from({ length: 2 }, () => (cause ? JSON.stringify({ code, message }) : null)), job] as Knex.RawBinding[],
  )
  if (!ended) return
  await trx('import_uploads').where({ job }).delete()
  if (!cause) await countImport(trx, job, ended)
  await getRecordSink(ended.entity).finish(trx, context, { ...state })
}

interface EndedImport {
  entity: RecordEntity
  organization: string
  application: string
  isDryRun: boolean
}

/** Counts an import that has completed. One of which no row could be imported has failed. */
async function countImport(
  trx: Knex,
  job: string,
  { organization, application, isDryRun }: EndedImport,
): Promise<void> {
  if (isDryRun || (await readOutcome(trx, job)).status !== 'completed') return
  await recordTallies(trx, [{ organization, application, code: 'importsCompleted', number: 1 }])
}

interface EndedImportRow {
  created: number
  updated: number
  skipped: number
  failed: number
  init_error: InitError | null
}

/** Returns the outcome of an import that has ended, the same at every call. */
export async function readOutcome(db: Knex, job: string): Promise<JobOutcome> {
  const {
    rows: [ended],
  } = await db.raw<{ rows: EndedImportRow[] }>(
    `select created, updated, skipped, failed, init_error from imports join jobs on jobs.id = imports.job
     where job = ?`,
    [job],
  )
  if (!ended) throw new Error(`Import ${job} is gone`)
  const { init_error: initError, ...result } = ended
  if (initError) return { status: 'failed', code: initError.code, message: initError.message }
  const { created, updated, skipped, failed } = result
  if (failed > 0 && created + updated + skipped === 0) {
    return { status: 'failed', code: 'IMPORT_FAILED', message: 'No row could be imported; each one has an error.' }
  }
  return { status: 'completed', result }
}

async function deleteKeys({ step }: JobRun, job: string): Promise<void> {
  for (let removed = keyBatchSize; removed === keyBatchSize;) {
    removed = await step(async (trx) => {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `delete from import_keys
         where ctid = any(array(select ctid from import_keys where job = ? limit ${keyBatchSize}))`,
        [job],
      )
      return rowCount
    })
  }
}
