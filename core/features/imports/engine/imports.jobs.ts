import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { runWithSmallHeap } from '../../../kernel/process/small-heap.ts'
import { declareJob, type JobOutcome, type JobRun, type RunningJob } from '../../../kernel/job.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { RecordEntity } from '../../../kernel/words.ts'
import { formatJsonb } from '../../../queue/engine/rows.ts'
import { fetchSource } from './fetch.ts'
import { hasColumns, openSource } from '../formats/index.ts'
import { collectFileNotes } from '../intake/index.ts'
import { failImport, completeImport, finishImport, readOutcome } from './imports.run.end.ts'
import { storeImportAtomically } from './imports.run.atomic.ts'
import { assertWithinRowCap, storeRows, type ImportConfig, type ImportState, type StagedImport } from './imports.run.ts'
import { type Dialect, type ImportPayload, InitError } from '../records/index.ts'
import { openPieces } from '../staging/index.ts'

/** The maximum number of runs that throw; each stored slice starts the count anew. */
const attempts = 20

/**
 * The job that imports a file. It fetches the file if a mapper has its address, then stores the rows slice by slice.
 * Its result is `{created, updated, skipped, failed}`, in rows. The job fails if no row could be imported, or if the
 * file could not be read to its end; in the latter case `imports.init_error` says why.
 */
export const importJob = declareJob<ImportPayload>({
  type: 'import',
  async permission(db, id) {
    const row = await db('imports').where({ job: id }).first<{ entity_name: RecordEntity } | undefined>('entity_name')
    return `${getRecordSink(row?.entity_name).resource}:read`
  },
  maxAttempts: attempts,
  async run(running, run) {
    const found = await findImportConfig(run, running.id)
    if (!found || found.finished) return readOutcome(run.context.db, running.id)
    return runWithSmallHeap(() => importFile(running, run, found.config, running.state as ImportState))
  },
  async handleFailure(trx, { id, state }, context) {
    const message = `The work could not be done in ${attempts} attempts.`
    // An import whose run returned an outcome is finished already; `finishImport` leaves it as it is.
    const row = await trx('jobs').where({ id }).first<{ state: ImportState } | undefined>('state')
    await finishImport(trx, context, id, row?.state ?? state, { code: 'JOB_FAILED', message })
  },
})

async function importFile(
  running: RunningJob<ImportPayload>,
  run: JobRun,
  config: ImportConfig,
  earlier: ImportState,
): Promise<JobOutcome> {
  let state = earlier
  const setState = (next: ImportState) => {
    state = next
  }
  try {
    const known = running.payload.upload ?? state.upload
    if (known !== undefined)
      return await importUpload(running, run, { config, state, upload: known, onState: setState })
    const source = await fetchMapperSource(run, config)
    if (source === 'unchanged') return await completeImport(run, config, state)
    setState({ ...state, upload: source.upload, etag: source.etag })
    hitFaultPoint('import.fetched', { job: config.job })
    const staged = { config: { ...config, dialect: source.dialect }, state, upload: source.upload, onState: setState }
    return await importUpload(running, run, staged)
  } catch (cause) {
    if (cause instanceof InitError) return failImport(run, config, state, cause)
    if (cause instanceof ProblemError && cause.code === 'NOT_FOUND') {
      const gone = new InitError('IMPORT_APPLICATION_GONE', 'The application is not there any more.')
      return failImport(run, config, state, gone)
    }
    throw cause
  }
}

async function importUpload(
  running: RunningJob<ImportPayload>,
  run: JobRun,
  staged: StagedImport,
): Promise<JobOutcome> {
  const { config, state, upload } = staged
  await assertWithinRowCap(run, config, upload)
  if (!state.checkpoint) await storeFileNotes(running, run, config, upload)
  const reached = config.atomic
    ? await storeImportAtomically(run, running, config, state, upload)
    : await storeRows(run, running, staged)
  return completeImport(run, config, reached)
}

/** Stores what is known of the file before its first row is stored, unless that was done when the file was received. */
async function storeFileNotes(
  { payload }: RunningJob<ImportPayload>,
  run: JobRun,
  { job, dialect, sink }: ImportConfig,
  upload: string,
): Promise<void> {
  if (payload.noted) return
  const source = hasColumns(dialect.format)
    ? await openSource(openPieces(run.context.db, upload), dialect, null)
    : { columns: null }
  const { warnings, unusedColumns } = collectFileNotes(dialect, source, payload.rows, sink)
  if (warnings.length + unusedColumns.length === 0) return
  await run.step(async (trx) => {
    await trx('imports')
      .where({ job })
      .update({ warnings: formatJsonb(warnings), unused_columns: formatJsonb(unusedColumns) })
  })
}

/** Fetches the source of a mapper and stores its size, format and name before the first row is stored. */
async function fetchMapperSource(run: JobRun, { job: id, organization, mapper }: ImportConfig) {
  if (mapper === null) throw new InitError('IMPORT_BODY_MISSING', 'The import has neither a file nor a mapper.')
  const source = await fetchSource(run.context, { job: id, organization, mapper, signal: run.signal })
  if (source === 'unchanged') return source
  const {
    upload,
    bytes,
    fileName = null,
    etag,
    dialect: { format, ...dialect },
  } = source
  await run.step(async (trx, move) => {
    await trx('import_uploads').where({ id: upload }).update({ job: id })
    await trx('imports')
      .where({ job: id })
      .update({ bytes, format, dialect: JSON.stringify(dialect), file_name: fileName })
    move({ state: { upload, etag } })
  })
  return source
}

interface ConfigRow {
  organization: string
  application: string
  entity_name: RecordEntity
  mapper: string | null
  source: string
  network: string | null
  format: Dialect['format'] | null
  dialect: Omit<Dialect, 'format'> | null
  on_duplicate: ImportConfig['onDuplicate']
  dry_run: boolean
  atomic: boolean
  bytes: number
  finished_at: Date | null
}

async function findImportConfig(
  { context }: JobRun,
  id: string,
): Promise<{ config: ImportConfig; finished: boolean } | undefined> {
  const row = await context.db('imports').where({ job: id }).first<ConfigRow | undefined>()
  if (!row) return undefined
  const { organization, application, mapper, source, network, bytes } = row
  const dialect: Dialect = { encoding: 'utf-8', bom: false, ...row.dialect, format: row.format ?? 'json' }
  return {
    finished: row.finished_at !== null,
    config: {
      job: id,
      organization,
      application,
      sink: getRecordSink(row.entity_name),
      mapper,
      source,
      network,
      dialect,
      bytes,
      onDuplicate: row.on_duplicate,
      dryRun: row.dry_run,
      atomic: row.atomic,
    },
  }
}
