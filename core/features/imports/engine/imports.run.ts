import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { JobProgress, JobRun, RunningJob } from '../../../kernel/job.ts'
import {
  RepeatTransactionError,
  type RecordSink,
  type RecordWriter,
  type SinkState,
  type ValidatedRow,
  type WriterOptions,
} from '../../../kernel/ports/record-sink.ts'
import { countRows, hasColumns, openSource } from '../formats/index.ts'
import { createRowMapper, mapRows } from '../mapping/index.ts'
import { type BatchResult, eachBatch } from '../../../queue/batches/each-batch.ts'
import { mergeMoves } from '../../../queue/engine/move.ts'
import { createSeenKeys } from './imports.keys.ts'
import { toJobErrors, insertSlices, type StoredSlice } from './imports.run.slice.ts'
import { type Checkpoint, type Dialect, type ImportPayload, InitError } from '../records/index.ts'
import { openPieces } from '../staging/index.ts'

/** The maximum number of rows of a slice; each slice is one child job. */
export const sliceSize = 1_000

/** The settings of an import, from its row of `imports`. */
export interface ImportConfig {
  job: string
  organization: string
  application: string
  sink: RecordSink
  mapper: string | null
  source: string
  network: string | null
  dialect: Dialect
  onDuplicate: WriterOptions['onDuplicate']
  dryRun: boolean
  /** Whether all rows are stored or none. */
  atomic: boolean
  bytes: number
}

/** The state of the job that earlier runs left. The members of the sink stand beside those of the import. */
export interface ImportState extends SinkState {
  /** The staged file. */
  upload?: string
  /** The ETag of the source that was fetched. */
  etag?: string | null
  checkpoint?: Checkpoint
  /** The number of rows that have failed. */
  failed?: number
}

/** An import whose file is staged. */
export interface StagedImport {
  config: ImportConfig
  state: ImportState
  /** The staged file. */
  upload: string
  /** Receives the new state after each transaction. */
  onState: (state: ImportState) => void
}

/** A slice that was read and validated. */
interface Slice {
  rows: ValidatedRow[]
  after: Checkpoint
}

/**
 * Reads, validates and stores what is left of an import, slice by slice; while one slice is stored, the next is read
 * and validated. The transaction that stores a slice also stores the checkpoint after it, so a run may die at any time.
 * @throws InitError if the file cannot be read any further; rows that were stored before stay
 */
export async function storeRows(
  run: JobRun,
  job: RunningJob<ImportPayload>,
  { config, state, upload, onState }: StagedImport,
): Promise<ImportState> {
  const writer = createWriter(run, config, config.sink.limits.slices)
  let reached = state
  for (;;) {
    const reader = new SliceReader(readSlices(run, job, config, reached, upload))
    try {
      return await eachBatch(run, {
        job: config.job,
        step: 'import',
        state: reached,
        isAtEnd: () => reader.isAtEnd(),
        take: () => reader.takeNext(),
        work: (trx, slices, from) => storeSlices({ trx, run, config, writer }, reader, slices, from),
        afterCommit(next) {
          reached = next
          onState(next)
          hitFaultPoint('import.stored', { job: config.job })
          if ((next.failed ?? 0) > maxFailedRows) throw createErrorLimitError()
        },
      })
    } catch (cause) {
      if (!(cause instanceof RepeatTransactionError)) throw cause
    } finally {
      await reader.end()
    }
  }
}

/** Stores slices, and further ones that can be read at once, in one transaction as far as there is time. */
async function storeSlices(
  batch: Pick<SliceTransaction, 'trx' | 'run' | 'config' | 'writer'>,
  reader: SliceReader,
  first: readonly Slice[],
  state: ImportState,
): Promise<BatchResult<ImportState>> {
  const { trx, run, config, writer } = batch
  // Without this lock, two imports of one catalogue could wait for each other's rows in a deadlock.
  await lockByName(trx, `import ${config.application}`)
  let progress: JobProgress = {}
  const storing: SliceTransaction = {
    ...batch,
    move: (change) => {
      progress = mergeMoves(progress, change)
    },
    slices: [],
    idle: () => void reader.prefetch(),
  }
  const startedAt = performance.now()
  const hasRoom = () => performance.now() - startedAt < maxTransactionMs && !run.isProcessShared()
  let reached = state
  for (const slice of first) reached = await storeSlice(storing, reached, slice)
  while (storing.slices.length < config.sink.limits.slices && hasRoom()) {
    const next = await reader.takeIfReadable()
    if (!next) break
    reached = await storeSlice(storing, reached, next)
  }
  await writer.flush(trx)
  await insertSlices(trx, config, storing.slices)
  return { state: reached, progress }
}

/**
 * The maximum number of rows that may fail: their errors are kept, and a small packed file can hold a hundred million
 * of them.
 */
const maxFailedRows = 1_000_000

const createErrorLimitError = () =>
  new InitError(
    'IMPORT_TOO_MANY_ERRORS',
    `More than ${maxFailedRows.toLocaleString('en')} rows have failed. What is wrong with all of them has to be mended first.`,
  )

/**
 * The time, in milliseconds, after which a transaction takes no further slice. A process with other organizations' jobs
 * commits each slice alone.
 */
const maxTransactionMs = 2_000

/**
 * A reader that reads and validates one slice while another is stored. It begins as soon as only the database has to
 * work for the other slice; if it began earlier, the database would wait for this process between two statements.
 */
class SliceReader {
  readonly #slices: AsyncGenerator<Slice, undefined>
  #next: Promise<IteratorResult<Slice, undefined>> | undefined

  constructor(slices: AsyncGenerator<Slice, undefined>) {
    this.#slices = slices
  }

  /** Starts to read the next slice, unless it is being read already. */
  prefetch(): Promise<IteratorResult<Slice, undefined>> {
    if (this.#next) return this.#next
    const next = this.#slices.next()
    // The error is thrown when the slice is awaited.
    next.catch(() => undefined)
    return (this.#next = next)
  }

  /** Waits for the next slice, and returns true if there is none. @throws the error of reading it */
  async isAtEnd(): Promise<boolean> {
    return (await this.prefetch()).done === true
  }

  /** Takes the next slice, as a list; an empty one at the end. @throws the error of reading it */
  async takeNext(): Promise<Slice[]> {
    const { value } = await this.prefetch()
    if (!value) return []
    this.#next = undefined
    return [value]
  }

  /** Stops reading. */
  async end(): Promise<void> {
    await this.#slices.return(undefined).catch(() => undefined)
  }

  /**
   * Returns the next slice; undefined at the end or if it cannot be read. The stored slices are committed before
   * `isAtEnd` throws the error.
   */
  async takeIfReadable(): Promise<Slice | undefined> {
    return (await this.takeNext().catch(() => []))[0]
  }
}

/**
 * Yields the slices of the file that are read and validated, starting after the checkpoint of an earlier run.
 * @throws InitError
 */
export async function* readSlices(
  { context, signal }: JobRun,
  { payload }: RunningJob<ImportPayload>,
  config: ImportConfig,
  state: ImportState,
  upload: string,
): AsyncGenerator<Slice, undefined> {
  const source = await openSource(openPieces(context.db, upload), config.dialect, state.checkpoint ?? null)
  const mapper = createRowMapper(payload.rows, config.dialect, source, config.sink)
  for await (const batch of source.batches(sliceSize)) {
    signal.throwIfAborted()
    if (batch.rows.length === 0) continue
    yield { rows: await config.sink.validate(context, config, mapRows(batch, mapper)), after: batch.after }
  }
}

/**
 * Asserts that an upload of JSON has no more rows than are allowed; its rows are not counted while it is received.
 * @throws InitError IMPORT_ROW_CAP_EXCEEDED
 */
export async function assertWithinRowCap(
  { context }: JobRun,
  { dialect, source }: ImportConfig,
  upload: string,
): Promise<void> {
  const { importCsvSyncRowCap: rowCap } = context.settings
  if (rowCap === 0 || source !== 'upload' || hasColumns(dialect.format)) return
  const rows = await countRows(await openSource(openPieces(context.db, upload), dialect, null), rowCap)
  if (rows > rowCap) throw new InitError('IMPORT_ROW_CAP_EXCEEDED', `The file has more than ${rowCap} rows.`)
}

/** What the slices of one transaction have in common. */
export interface SliceTransaction {
  trx: Knex.Transaction
  move: (change: JobProgress) => void
  run: JobRun
  config: ImportConfig
  writer: RecordWriter
  /** The slices that the transaction has stored. */
  slices: StoredSlice[]
  idle: () => void
}

/**
 * Creates the writer of an import.
 * @param repeatableCalls the maximum number of slices of a transaction that is repeated; null if none is
 */
export const createWriter = ({ context }: JobRun, config: ImportConfig, repeatableCalls: number | null): RecordWriter =>
  config.sink.createWriter(context, { ...config, seenKeys: createSeenKeys(config.job), repeatableCalls })

/** Stores a slice and the checkpoint after it. @returns the new state of the job */
export async function storeSlice(
  { trx, move, config, writer, slices, idle }: SliceTransaction,
  state: ImportState,
  slice: Slice,
): Promise<ImportState> {
  const { rows, after } = slice
  const { result: stored, state: sinkState } = await writer.store(trx, rows, state, idle)
  slices.push({ rows: rows.length, from: rows[0]?.line ?? 0, to: rows.at(-1)?.line ?? 0, after, stored })
  const { failed } = stored
  const left: ImportState = { checkpoint: after, failed: (state.failed ?? 0) + failed, ...sinkState }
  move({
    total: rows.length,
    completed: rows.length - failed,
    failed,
    errors: toJobErrors(stored.errors),
    state: { ...left },
  })
  hitFaultPoint('import.storing', { job: config.job })
  return { ...state, ...left }
}
