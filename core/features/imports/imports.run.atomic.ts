import type { Knex } from 'knex'
import { lockByName } from '../../database/lock.ts'
import { faultPoint } from '../../kernel/fault.ts'
import type { Run, RunningJob } from '../../kernel/job.ts'
import { finishStoring, KnownParents } from '../dpp/index.ts'
import { finish } from './imports.run.end.ts'
import { slicesOf, storeSlice, type ImportConfig, type ImportState, type Storing } from './imports.run.ts'
import { jobErrors, keepSlices, type StoredSlice } from './imports.run.slice.ts'
import { InitError, type ImportPayload } from './imports.types.ts'

/** Rows that one transaction stores: other imports of the application wait for it. */
const maxRows = 100_000

/** Why a transaction is undone in which rows failed. */
class RowsFailedError extends Error {
  override name = 'RowsFailedError'
}

/**
 * Reads, judges and stores an import in one transaction: all of its rows or none. A run that dies leaves nothing and is
 * done again from the beginning. @throws InitError at what cannot be read, for too many rows, and where one has failed;
 * nothing is stored then but the errors of rows
 */
export async function storeAtomically(
  run: Run, job: RunningJob<ImportPayload>, config: ImportConfig, state: ImportState, upload: string,
): Promise<ImportState> {
  const slices: StoredSlice[] = []
  try {
    return await run.step(async (trx, move) => {
      await lockByName(trx, `import ${config.application}`)
      const storing: Storing = {
        trx, move, run, config, hope: null, parents: new KnownParents(), slices, idle: () => undefined,
      }
      let reached = state
      for await (const slice of slicesOf(run, job, config, state, upload)) {
        if (slice.after.rows > maxRows) throw tooMany()
        reached = await storeSlice(storing, reached, slice)
      }
      await finishStoring(trx)
      if (slices.some(({ stored }) => stored.failed > 0)) throw new RowsFailedError()
      await keepSlices(trx, config, slices)
      faultPoint('import.atomic', { job: config.job })
      return reached
    })
  } catch (cause) {
    if (!(cause instanceof RowsFailedError)) throw cause
    throw await endWithErrors(run, config, slices)
  }
}

const tooMany = () => new InitError('IMPORT_TOO_MANY_ROWS',
  `All rows or none can be asked for up to ${maxRows.toLocaleString('en')} rows; the file has more.`)

/** Ends the import with the errors of its rows alone, in one transaction. @returns why it came to nothing */
async function endWithErrors(run: Run, config: ImportConfig, slices: readonly StoredSlice[]): Promise<InitError> {
  const rows = slices.reduce((all, slice) => all + slice.rows, 0)
  const failed = slices.reduce((all, { stored }) => all + stored.failed, 0)
  const cause = new InitError('IMPORT_ROWS_FAILED',
    `${failed} of ${rows} rows ${failed === 1 ? 'has' : 'have'} errors, and none was stored: all rows or none were asked for.`)
  await run.step(async (trx, move) => {
    for (const { stored } of slices) if (stored.errors.length > 0) await keepErrors(trx, config.job, stored.errors)
    const errors = jobErrors(slices.flatMap(({ stored }) => stored.errors.slice(0, 100)))
    move({ total: rows, failed, errors })
    await finish(trx, run.context, config.job, {}, cause)
  })
  return cause
}

async function keepErrors(trx: Knex, job: string, errors: StoredSlice['stored']['errors']): Promise<void> {
  await trx('import_errors').insert(errors.map(({ line, path, code, message, value }) => ({ job, line, path, code, message, value })))
}
