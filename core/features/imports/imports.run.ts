import type { Knex } from 'knex'
import { faultPoint } from '../../kernel/fault.ts'
import type { Run, RunningJob } from '../../kernel/job.ts'
import {
  holdStructure, prepareImport, storeImport, type Hung, type PreparedRow, type Stored, type StoreOptions,
} from '../dpp/index.ts'
import { countRows, openSource } from './formats.ts'
import { mapperOf, rowsOf } from './imports.rows.ts'
import { jobErrors, keepSlice } from './imports.run.slice.ts'
import { InitError, type Checkpoint, type Dialect, type ImportPayload } from './imports.types.ts'
import { stagedPieces } from './staging.ts'

/** Rows of a slice: what is stored in one transaction and is one child job. */
export const sliceSize = 1_000

/** What an import is told by its row of `imports`. */
export interface ImportConfig {
  job: string
  organization: string
  application: string
  mapper: string | null
  source: string
  network: string | null
  dialect: Dialect
  onDuplicate: StoreOptions['onDuplicate']
  dryRun: boolean
  bytes: number
}

/** What earlier runs left in the job's state. */
export interface ImportState {
  /** The staged file. */
  upload?: string
  /** Of the source that was fetched. */
  etag?: string | null
  checkpoint?: Checkpoint
  /** The structure job of what was made, held until the end. */
  structure?: string
  hung?: Hung
}

/** A slice that was read and judged. */
interface Slice { rows: PreparedRow[]; after: Checkpoint }

/**
 * Reads, judges and stores what is left of an import, slice by slice; the next slice is read and judged while one is
 * being stored. A slice is stored with the place behind it in one transaction, so a run may die anywhere.
 * @param told what the state has become, after each slice
 * @throws InitError at what cannot be read; what was stored before stays
 */
export async function storeSource(
  run: Run, job: RunningJob<ImportPayload>, config: ImportConfig, state: ImportState, upload: string,
  told: (state: ImportState) => void,
): Promise<ImportState> {
  await refuseTooMany(run, config, upload)
  const slices = slicesOf(run, job, config, state, upload)
  let now = state
  const hope = new Hope()
  try {
    let next = slices.next()
    for (;;) {
      const { value: slice, done } = await next
      if (done) return now
      next = slices.next()
      // Told when it is waited for.
      next.catch(() => undefined)
      now = await storeSlice(run, config, now, slice, hope)
      told(now)
      faultPoint('import.stored', { job: config.job })
    }
  } finally {
    await slices.return(undefined).catch(() => undefined)
  }
}

async function* slicesOf(
  { context, signal }: Run, { payload }: RunningJob<ImportPayload>, config: ImportConfig, state: ImportState,
  upload: string,
): AsyncGenerator<Slice, undefined> {
  const source = await openSource(stagedPieces(context.db, upload), config.dialect, state.checkpoint ?? null)
  const mapper = mapperOf(payload.rows, config.dialect, source)
  for await (const batch of source.batches(sliceSize)) {
    signal.throwIfAborted()
    if (batch.rows.length === 0) continue
    yield { rows: await prepareImport(context, config, rowsOf(batch, mapper)), after: batch.after }
  }
}

/** Of an upload of JSON, which is not counted while it is received. @throws InitError IMPORT_ROW_CAP_EXCEEDED */
async function refuseTooMany({ context }: Run, { dialect, source }: ImportConfig, upload: string): Promise<void> {
  const { importCsvSyncRowCap: most } = context.settings
  if (most === 0 || source !== 'upload' || dialect.format === 'csv') return
  const rows = await countRows(await openSource(stagedPieces(context.db, upload), dialect, null), most)
  if (rows > most) throw new InitError('IMPORT_ROW_CAP_EXCEEDED', `The file has more than ${most} rows.`)
}

async function storeSlice(
  run: Run, config: ImportConfig, state: ImportState, slice: Slice, hope: Hope,
): Promise<ImportState> {
  const { context } = run
  return run.step(async (trx, move) => {
    const structure = await structureFor(trx, run, config, state, slice)
    const newOnly = hope.newOnly && !config.dryRun
    const options = { ...config, batch: config.job, structure: structure ?? null, newOnly }
    const stored = await storeImport(trx, context, options, slice.rows)
    hope.learn(stored, slice)
    await keepSlice(trx, config, slice, stored)
    const left: ImportState = {
      checkpoint: slice.after, hung: added(state.hung, stored.hung), ...(structure !== undefined && { structure }),
    }
    const { rows: { length: total } } = slice
    const { failed } = stored
    move({ total, completed: total - failed, failed, errors: jobErrors(stored.errors), state: { ...left } })
    faultPoint('import.storing', { job: config.job })
    return { ...state, ...left }
  })
}

/**
 * Whether the next slice is hoped to be all new: after some that were, in a row. Each disappointment doubles how many,
 * as it costs what a slice does.
 */
class Hope {
  #clean = 0
  #needed = 1
  get newOnly(): boolean {
    return this.#clean >= this.#needed
  }

  learn({ created }: Stored, { rows }: Slice): void {
    const good = rows.filter(({ body }) => body !== null).length
    if (created < good && this.newOnly) this.#needed = Math.min(2 * this.#needed, 64)
    this.#clean = created < good ? 0 : this.#clean + 1
  }
}

/** The structure job of passports of the product flow, which begins when the import has ended. */
async function structureFor(
  trx: Knex, { context }: Run, { organization, dryRun }: ImportConfig, { structure }: ImportState, { rows }: Slice,
): Promise<string | undefined> {
  if (structure !== undefined || dryRun || !rows.some(({ content }) => content?.flow === 'product')) return structure
  return holdStructure(trx, context, organization)
}

function added(one: Hung = { linked: 0, alone: 0, waiting: 0 }, other: Hung): Hung {
  return { linked: one.linked + other.linked, alone: one.alone + other.alone, waiting: one.waiting + other.waiting }
}
