import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { JobRun, RunningJob } from '../../../kernel/job.ts'
import { finishImport } from './imports.run.end.ts'
import {
  createWriter,
  readSlices,
  storeSlice,
  type ImportConfig,
  type ImportState,
  type SliceTransaction,
} from './imports.run.ts'
import { toJobErrors, insertSlices, type StoredSlice } from './imports.run.slice.ts'
import { type ImportPayload, InitError } from '../records/index.ts'

/** The error that rolls back a transaction in which rows failed. */
class RowsFailedError extends Error {
  override name = 'RowsFailedError'
}

/**
 * Reads, validates and stores an import in one transaction: all of its rows or none. A run that dies leaves nothing,
 * and the next run starts from the beginning.
 * @throws InitError if the file cannot be read, has too many rows, or a row failed; then only the errors of rows are
 * stored
 */
export async function storeImportAtomically(
  run: JobRun,
  job: RunningJob<ImportPayload>,
  config: ImportConfig,
  state: ImportState,
  upload: string,
): Promise<ImportState> {
  const slices: StoredSlice[] = []
  // Other imports of the application wait for the transaction.
  const { atomicRows: maxRows } = config.sink.limits
  try {
    return await run.step(async (trx, move) => {
      await lockByName(trx, `import ${config.application}`)
      const writer = createWriter(run, config, null)
      const storing: SliceTransaction = {
        trx,
        move,
        run,
        config,
        writer,
        slices,
        idle: () => undefined,
      }
      let reached = state
      for await (const slice of readSlices(run, job, config, state, upload)) {
        if (slice.after.rows > maxRows) throw createTooManyRowsError(maxRows)
        reached = await storeSlice(storing, reached, slice)
      }
      await writer.flush(trx)
      if (slices.some(({ stored }) => stored.failed > 0)) throw new RowsFailedError()
      await insertSlices(trx, config, slices)
      hitFaultPoint('import.atomic', { job: config.job })
      return reached
    })
  } catch (cause) {
    if (!(cause instanceof RowsFailedError)) throw cause
    throw await failWithRowErrors(run, config, slices)
  }
}

const createTooManyRowsError = (max: number) =>
  new InitError(
    'IMPORT_TOO_MANY_ROWS',
    `All rows or none can be asked for up to ${max.toLocaleString('en')} rows; the file has more.`,
  )

/**
 * Ends the import in one transaction that stores only the errors of its rows.
 * @returns the reason why the import failed
 */
async function failWithRowErrors(
  run: JobRun,
  config: ImportConfig,
  slices: readonly StoredSlice[],
): Promise<InitError> {
  const rows = slices.reduce((all, slice) => all + slice.rows, 0)
  const failed = slices.reduce((all, { stored }) => all + stored.failed, 0)
  const cause = new InitError(
    'IMPORT_ROWS_FAILED',
    `${failed} of ${rows} rows ${failed === 1 ? 'has' : 'have'} errors, and none was stored: all rows or none were asked for.`,
  )
  await run.step(async (trx, move) => {
    for (const { stored } of slices) if (stored.errors.length > 0) await insertRowErrors(trx, config.job, stored.errors)
    const errors = toJobErrors(slices.flatMap(({ stored }) => stored.errors.slice(0, 100)))
    move({ total: rows, failed, errors })
    await finishImport(trx, run.context, config.job, {}, cause)
  })
  return cause
}

async function insertRowErrors(trx: Knex, job: string, errors: StoredSlice['stored']['errors']): Promise<void> {
  await trx('import_errors').insert(
    errors.map(({ line, path, code, message, value }) => ({ job, line, path, code, message, value })),
  )
}
