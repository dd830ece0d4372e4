import { faultPoint } from '../../kernel/fault.ts'
import { job, type Outcome, type Run, type RunningJob } from '../../kernel/job.ts'
import { Problem } from '../../kernel/problem.ts'
import { jsonb } from '../../queue/rows.ts'
import { fetchSource } from './fetch.ts'
import { hasColumns, openSource } from './formats.ts'
import { frugally } from './imports.memory.ts'
import { notesOf } from './imports.notes.ts'
import { endAt, endWell, finish, outcomeOf } from './imports.run.end.ts'
import { storeAtomically } from './imports.run.atomic.ts'
import { refuseTooMany, storeSource, type ImportConfig, type ImportState } from './imports.run.ts'
import { InitError, type Dialect, type ImportPayload } from './imports.types.ts'
import { stagedPieces } from './staging.ts'

/** Runs that may throw; each slice that is stored starts the count anew. */
const attempts = 20

/**
 * Imports a file: fetches it where a mapper says from where, then stores it slice by slice. The result is
 * `{created, updated, skipped, failed}`, in rows. It fails where no row could be taken, or where the file could not be
 * read to its end; `imports.init_error` tells why.
 */
export const importJob = job<ImportPayload>({
  type: 'import',
  permission: 'dpp:read',
  attempts,
  async run(running, run) {
    const found = await readConfig(run, running.id)
    if (!found || found.finished) return outcomeOf(run.context.db, running.id)
    return frugally(() => importFile(running, run, found.config, running.state as ImportState))
  },
  async abandon(trx, { id, state }, context) {
    const message = `The work could not be done in ${attempts} attempts.`
    // What ended with an outcome is finished already.
    const row = await trx('jobs').where({ id }).first<{ state: ImportState } | undefined>('state')
    await finish(trx, context, id, row?.state ?? state, { code: 'JOB_FAILED', message })
  },
})

async function importFile(
  running: RunningJob<ImportPayload>, run: Run, config: ImportConfig, earlier: ImportState,
): Promise<Outcome> {
  let state = earlier
  const told = (next: ImportState) => { state = next }
  try {
    const known = running.payload.upload ?? state.upload
    if (known !== undefined) return await read(running, run, config, state, known, told)
    const source = await fetched(run, config)
    if (source === 'unchanged') return await endWell(run, config, state)
    told({ ...state, upload: source.upload, etag: source.etag })
    faultPoint('import.fetched', { job: config.job })
    return await read(running, run, { ...config, dialect: source.dialect }, state, source.upload, told)
  } catch (cause) {
    if (cause instanceof InitError) return endAt(run, config, state, cause)
    if (cause instanceof Problem && cause.code === 'NOT_FOUND') {
      const gone = new InitError('IMPORT_APPLICATION_GONE', 'The application is not there any more.')
      return endAt(run, config, state, gone)
    }
    throw cause
  }
}

async function read(
  running: RunningJob<ImportPayload>, run: Run, config: ImportConfig, state: ImportState, upload: string,
  told: (state: ImportState) => void,
): Promise<Outcome> {
  await refuseTooMany(run, config, upload)
  if (!state.checkpoint) await keepNotes(running, run, config, upload)
  const reached = config.atomic
    ? await storeAtomically(run, running, config, state, upload)
    : await storeSource(run, running, config, state, upload, told)
  return endWell(run, config, reached)
}

/** Writes down what is known of the file before its first row is stored, unless that was done when it was received. */
async function keepNotes(
  { payload }: RunningJob<ImportPayload>, run: Run, { job, dialect }: ImportConfig, upload: string,
): Promise<void> {
  if (payload.noted) return
  const source = hasColumns(dialect.format) ? await openSource(stagedPieces(run.context.db, upload), dialect, null) : { columns: null }
  const { warnings, unusedColumns } = notesOf(dialect, source, payload.rows)
  if (warnings.length + unusedColumns.length === 0) return
  await run.step(async (trx) => {
    await trx('imports').where({ job }).update({ warnings: jsonb(warnings), unused_columns: jsonb(unusedColumns) })
  })
}

/** Fetches the source of a mapper; what it is is kept before the first row is stored. */
async function fetched(run: Run, { job: id, organization, mapper }: ImportConfig) {
  if (mapper === null) throw new InitError('IMPORT_BODY_MISSING', 'The import has neither a file nor a mapper.')
  const source = await fetchSource(run.context, { job: id, organization, mapper, signal: run.signal })
  if (source === 'unchanged') return source
  const { upload, bytes, fileName = null, etag, dialect: { format, ...dialect } } = source
  await run.step(async (trx, move) => {
    await trx('import_uploads').where({ id: upload }).update({ job: id })
    await trx('imports').where({ job: id })
      .update({ bytes, format, dialect: JSON.stringify(dialect), file_name: fileName })
    move({ state: { upload, etag } })
  })
  return source
}

interface ConfigRow {
  organization: string
  application: string
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

async function readConfig(
  { context }: Run, id: string,
): Promise<{ config: ImportConfig; finished: boolean } | undefined> {
  const row = await context.db('imports').where({ job: id }).first<ConfigRow | undefined>()
  if (!row) return undefined
  const { organization, application, mapper, source, network, bytes } = row
  const dialect: Dialect = { encoding: 'utf-8', bom: false, ...row.dialect, format: row.format ?? 'json' }
  return {
    finished: row.finished_at !== null,
    config: {
      job: id, organization, application, mapper, source, network, dialect, bytes, onDuplicate: row.on_duplicate,
      dryRun: row.dry_run, atomic: row.atomic,
    },
  }
}
