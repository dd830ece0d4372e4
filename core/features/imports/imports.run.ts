import type { Knex } from 'knex'
import { lockByName } from '../../database/lock.ts'
import { faultPoint } from '../../kernel/fault.ts'
import type { Move, Run, RunningJob } from '../../kernel/job.ts'
import {
  finishStoring, HopeLost, holdStructure, KnownParents, prepareImport, storeImport, type Hung, type PreparedRow, type Stored, type StoreOptions,
} from '../dpp/index.ts'
import { countRows, hasColumns, openSource } from './formats.ts'
import { mapperOf, rowsOf } from './imports.rows.ts'
import { jobErrors, keepSlices, type StoredSlice } from './imports.run.slice.ts'
import { InitError, type Checkpoint, type Dialect, type ImportPayload } from './imports.types.ts'
import { stagedPieces } from './staging.ts'

/** Rows of a slice: one child job. */
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
  /** All rows or none. */
  atomic: boolean
  bytes: number
}

/** What earlier runs left in the job's state. */
export interface ImportState {
  /** The staged file. */
  upload?: string
  /** Of the source that was fetched. */
  etag?: string | null
  checkpoint?: Checkpoint
  /** Rows that have failed. */
  failed?: number
  /** The structure job of what was made, held until the end. */
  structure?: string
  hung?: Hung
}

/** A slice that was read and judged. */
interface Slice { rows: PreparedRow[]; after: Checkpoint }

/**
 * Reads, judges and stores what is left of an import, slice by slice; the next slice is read and judged while one is
 * being stored. Slices are stored with the place behind them in one transaction, so a run may die anywhere.
 * @param told what the state has become, after each slice
 * @throws InitError at what cannot be read; what was stored before stays
 */
export async function storeSource(
  run: Run, job: RunningJob<ImportPayload>, config: ImportConfig, state: ImportState, upload: string,
  told: (state: ImportState) => void,
): Promise<ImportState> {
  const reading = (from: ImportState) => new Ahead(slicesOf(run, job, config, from, upload))
  const hope = new Hope()
  const parents = new KnownParents()
  let ahead = reading(state)
  try {
    for (let now = state; ; told(now)) {
      const first = await ahead.take()
      if (!first) return now
      const stored = await run.step(async (trx, move) => {
        // Two imports of one catalogue would wait for each other's rows in a circle.
        await lockByName(trx, `import ${config.application}`)
        const storing: Storing = { trx, move, run, config, hope, parents, slices: [], idle: () => void ahead.begin() }
        const began = performance.now()
        let reached = await storeSlice(storing, now, first)
        const hasRoom = () => performance.now() - began < atOnce.milliseconds && !run.isShared()
        for (let stored = 1; stored < atOnce.slices && hasRoom(); stored++) {
          const next = await ahead.takeGood()
          if (!next) break
          reached = await storeSlice(storing, reached, next)
        }
        await finishStoring(trx)
        await keepSlices(trx, config, storing.slices)
        return reached
      }).catch((cause: unknown) => {
        if (cause instanceof HopeLost) return null
        throw cause
      })
      if (stored === null) {
        hope.lose()
        await ahead.end()
        ahead = reading(now)
        continue
      }
      now = stored
      faultPoint('import.stored', { job: config.job })
      if ((now.failed ?? 0) > mostFailed) throw tooMany()
    }
  } finally {
    await ahead.end()
  }
}

/** Rows that may fail: their errors are kept, and a small packed file can hold a hundred million of them. */
const mostFailed = 1_000_000

const tooMany = () => new InitError('IMPORT_TOO_MANY_ERRORS',
  `More than ${mostFailed.toLocaleString('en')} rows have failed. What is wrong with all of them has to be mended first.`)

/** Slices that are committed together, as each commit waits for the disk; one alone where others work here too. */
const atOnce = { slices: 8, milliseconds: 2_000 }

/**
 * Reads and judges one slice while another is being stored: as soon as only the database has to work for that one, not
 * before, as the database would wait for this process between two statements.
 */
class Ahead {
  readonly #slices: AsyncGenerator<Slice, undefined>
  #next: Promise<IteratorResult<Slice, undefined>> | undefined

  constructor(slices: AsyncGenerator<Slice, undefined>) {
    this.#slices = slices
  }

  /** Sets to work on the next slice, unless that has begun. */
  begin(): Promise<IteratorResult<Slice, undefined>> {
    if (this.#next) return this.#next
    const next = this.#slices.next()
    // Told when it is waited for.
    next.catch(() => undefined)
    return this.#next = next
  }

  /** The next slice; undefined at the end. @throws what reading it came to */
  async take(): Promise<Slice | undefined> {
    const { value } = await this.begin()
    if (value) this.#next = undefined
    return value
  }

  /** Reads no more. */
  async end(): Promise<void> {
    await this.#slices.return(undefined).catch(() => undefined)
  }

  /** The same, but undefined where there is none that is good: what was stored is committed before that is told. */
  async takeGood(): Promise<Slice | undefined> {
    return this.take().catch(() => undefined)
  }
}

/** Slices of the file that are read and judged, from where an earlier run has got to. @throws InitError */
export async function* slicesOf(
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
export async function refuseTooMany({ context }: Run, { dialect, source }: ImportConfig, upload: string): Promise<void> {
  const { importCsvSyncRowCap: most } = context.settings
  if (most === 0 || source !== 'upload' || hasColumns(dialect.format)) return
  const rows = await countRows(await openSource(stagedPieces(context.db, upload), dialect, null), most)
  if (rows > most) throw new InitError('IMPORT_ROW_CAP_EXCEEDED', `The file has more than ${most} rows.`)
}

/** What slices of one transaction have in common. */
export interface Storing {
  trx: Knex.Transaction
  move: (change: Move) => void
  run: Run
  config: ImportConfig
  /** Null: nothing is hoped for. */
  hope: Hope | null
  parents: KnownParents
  /** What the transaction has stored. */
  slices: StoredSlice[]
  idle: () => void
}

/** Stores a slice with the place behind it. @returns what the state of the job becomes */
export async function storeSlice(
  { trx, move, run, config, hope, parents, slices, idle }: Storing, state: ImportState, slice: Slice,
): Promise<ImportState> {
  const structure = await structureFor(trx, run, config, state, slice)
  const options = { ...config, batch: config.job, structure: structure ?? null, newOnly: hope?.newOnly === true && !config.dryRun, parents, idle }
  const stored = await storeImport(trx, run.context, options, slice.rows)
  hope?.learn(stored, slice)
  const { rows, after } = slice
  slices.push({ rows: rows.length, from: rows[0]?.line ?? 0, to: rows.at(-1)?.line ?? 0, after, stored })
  const left: ImportState = {
    checkpoint: after, failed: (state.failed ?? 0) + stored.failed, hung: added(state.hung, stored.hung), ...(structure !== undefined && { structure }),
  }
  const { failed } = stored
  move({ total: rows.length, completed: rows.length - failed, failed, errors: jobErrors(stored.errors), state: { ...left } })
  faultPoint('import.storing', { job: config.job })
  return { ...state, ...left }
}

/**
 * Whether the next slice is hoped to be all new: after some that were, in a row. Each disappointment costs what the
 * slices of a transaction do, so it doubles how many, to a transaction's at least: what is done again is done without.
 */
class Hope {
  #clean = 0
  #needed = 1
  get newOnly(): boolean {
    return this.#clean >= this.#needed
  }

  learn({ created }: Stored, { rows }: Slice): void {
    const good = rows.filter(({ body }) => body !== null).length
    this.#clean = created < good ? 0 : this.#clean + 1
  }

  lose(): void {
    this.#needed = Math.min(Math.max(2 * this.#needed, atOnce.slices), 64)
    this.#clean = 0
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
