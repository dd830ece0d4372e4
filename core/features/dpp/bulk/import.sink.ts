import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import {
  RepeatTransactionError,
  type RecordSink,
  type RecordWriter,
  type SinkState,
  type WriterOptions,
} from '../../../kernel/ports/record-sink.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { createNetworkCheck, Product } from '../content/index.ts'
import { NewPassport } from '../passports/index.ts'
import { createHeldStructureJob, type ParentCounts, releaseStructureJob } from '../structure/index.ts'
import { passportDestinations } from './import.destinations.ts'
import { isRowError } from './import.plan.ts'
import { lockApplication, type ImportTransaction } from './import.lookup.ts'
import { ParentCache } from './import.parents.ts'
import { InsertOnlyPredictor } from './import.prediction.ts'
import { storeSlice } from './import.store.ts'
import { validateRows } from './import.validate.ts'
import type { PassportStoreResult, PreparedRow, StoreOptions } from './import.types.ts'

/** What an import of passports keeps in the state of its job. */
interface PassportSinkState {
  /** The structure job of the passports that were created; it is held until the import ends. */
  structure?: string
  hung?: ParentCounts
}

/** The network of imports where it can be used. */
const defaultNetwork = 'BaseMainnet' satisfies Network

/** Takes the rows of imports as passports, with their events and their structure job. */
export const passportSink: RecordSink<PreparedRow> = {
  entity: 'DppPassport',
  noun: 'passport',
  resource: 'dpp',
  destinations: passportDestinations,
  // Each commit waits for the disk.
  limits: { slices: 8, atomicRows: 100_000 },
  // A source is fetched again and again to keep passports up to date.
  scheduledPolicy: 'update',
  members: Object.keys(NewPassport.properties),
  containers: ['product', 'fields', 'data', 'certifiedPaths'],
  requiredPaths: Product.required.map((name) => `product.${name}`),
  async findDefaultNetwork(context, organization) {
    const check = await createNetworkCheck(context, context.db, organization)
    return check(defaultNetwork) === undefined ? defaultNetwork : null
  },
  async validateNetwork(context, organization, network) {
    return (await createNetworkCheck(context, context.db, organization))(network)
  },
  validate: validateRows,
  createWriter: (context, options) => new PassportWriter(context, options),
  async finish(trx, context, { structure, hung }: PassportSinkState) {
    if (structure && hung) await releaseStructureJob(trx, context, structure, hung)
  },
}

/**
 * The maximum number of attempts to store rows together when another transaction stores the same passports. After that
 * the rows are divided to find the ones that conflict.
 */
const maxConflicts = 3

/**
 * Stores the rows of one import as passports. The number of statements does not depend on the number of rows. If the
 * database refuses a slice, the slice is divided until the refused rows fail alone.
 */
class PassportWriter implements RecordWriter<PreparedRow> {
  readonly #context: Context
  readonly #options: WriterOptions
  readonly #parents = new ParentCache()
  readonly #predictor: InsertOnlyPredictor | null
  /** Each transaction locks the application once, although it can store many slices. */
  readonly #transactions = new WeakMap<Knex.Transaction, ImportTransaction>()

  constructor(context: Context, options: WriterOptions) {
    this.#context = context
    this.#options = options
    const { dryRun, repeatableCalls } = options
    this.#predictor = dryRun || repeatableCalls === null ? null : new InsertOnlyPredictor(repeatableCalls)
  }

  async store(trx: Knex.Transaction, rows: readonly PreparedRow[], state: PassportSinkState, onIdle?: () => void) {
    const structure = await this.#prepareStructure(trx, state, rows)
    const options: StoreOptions = {
      ...this.#options,
      structureJob: structure ?? null,
      insertOnly: this.#predictor?.insertOnly === true,
      parents: this.#parents,
      ...(onIdle && { onIdle }),
    }
    const { parentCounts, ...result } = await this.#storeRows(trx, options, rows)
    this.#predictor?.recordResult(result, rows)
    const next: SinkState & PassportSinkState = {
      hung: addParentCounts(state.hung, parentCounts),
      ...(structure !== undefined && { structure }),
    }
    return { result, state: next }
  }

  async flush(trx: Knex.Transaction): Promise<void> {
    await this.#transactions
      .get(trx)
      ?.waitForStatement()
      .catch((cause: unknown) => this.#refusePrediction(cause))
  }

  async #storeRows(
    trx: Knex.Transaction,
    options: StoreOptions,
    rows: readonly PreparedRow[],
  ): Promise<PassportStoreResult> {
    const importTransaction = await this.#lockTransaction(trx)
    const refusePrediction = (cause: unknown) => this.#refusePrediction(cause)
    if (options.insertOnly) {
      // There is no savepoint, which saves two statements for each slice.
      return storeSlice(trx, this.#context, options, importTransaction, rows).catch(refusePrediction)
    }
    await importTransaction.waitForStatement().catch(refusePrediction)
    for (let attempt = 1; ; attempt++) {
      try {
        return await trx.transaction(async (savepoint) => {
          const stored = await storeSlice(savepoint, this.#context, options, importTransaction, rows)
          await importTransaction.waitForStatement()
          return stored
        })
      } catch (cause) {
        if (!isRowError(cause)) throw cause
        importTransaction.parents.clear()
        if (attempt >= maxConflicts) return await this.#storeHalves(trx, options, rows, cause)
      }
    }
  }

  async #storeHalves(
    trx: Knex.Transaction,
    options: StoreOptions,
    rows: readonly PreparedRow[],
    cause: unknown,
  ): Promise<PassportStoreResult> {
    const [only] = rows
    if (rows.length === 1 && only) {
      this.#context.log.warn(
        { err: cause, import: options.job, line: only.line },
        'a row of an import could not be stored',
      )
      return createUnstorableResult(only.line)
    }
    const half = Math.ceil(rows.length / 2)
    const first = await this.#storeRows(trx, options, rows.slice(0, half))
    return addResults(first, await this.#storeRows(trx, options, rows.slice(half)))
  }

  /** @throws NOT_FOUND */
  async #lockTransaction(trx: Knex.Transaction): Promise<ImportTransaction> {
    const known = this.#transactions.get(trx)
    if (known) return known
    const importTransaction = await lockApplication(trx, { ...this.#options, parents: this.#parents })
    if (!importTransaction) throw createNotFoundProblem()
    this.#transactions.set(trx, importTransaction)
    return importTransaction
  }

  /** Throws the error of a slice that was stored as new; a conflict means that a row of it was not new. */
  #refusePrediction(cause: unknown): never {
    if (!isRowError(cause)) throw cause
    this.#predictor?.recordFailure()
    throw new RepeatTransactionError('A row that was stored as new is not new.', { cause })
  }

  /** Returns the structure job of passports of the product flow and creates it if needed. */
  async #prepareStructure(
    trx: Knex,
    { structure }: PassportSinkState,
    rows: readonly PreparedRow[],
  ): Promise<string | undefined> {
    const { dryRun, organization } = this.#options
    if (structure !== undefined || dryRun || !rows.some(({ content }) => content?.flow === 'product')) return structure
    return createHeldStructureJob(trx, this.#context, organization)
  }
}

function createUnstorableResult(line: number): PassportStoreResult {
  const message = 'The row cannot be stored as it is.'
  const errors = [{ line, path: '', code: 'not_storable', message, value: null }]
  return { created: 0, updated: 0, skipped: 0, failed: 1, parentCounts: addParentCounts(), errors }
}

function addResults(one: PassportStoreResult, other: PassportStoreResult): PassportStoreResult {
  const sum = (name: 'created' | 'updated' | 'skipped' | 'failed') => one[name] + other[name]
  return {
    created: sum('created'),
    updated: sum('updated'),
    skipped: sum('skipped'),
    failed: sum('failed'),
    parentCounts: addParentCounts(one.parentCounts, other.parentCounts),
    errors: [...one.errors, ...other.errors],
  }
}

const noParents: ParentCounts = { linked: 0, alone: 0, waiting: 0 }

const addParentCounts = (one = noParents, other = noParents): ParentCounts => ({
  linked: one.linked + other.linked,
  alone: one.alone + other.alone,
  waiting: one.waiting + other.waiting,
})
