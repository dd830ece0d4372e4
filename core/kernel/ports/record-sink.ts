import type { Knex } from 'knex'
import type { Issue } from '../problem.ts'
import type { RecordEntity, Resource } from '../words.ts'
import type { Context } from '../work.ts'

/** An issue of a row of a file. `value`: the wrong value as text, at most 200 characters; null if there is none. */
export type RowIssue = Required<Issue>

/** A row of a file as its mapper returned it, or as it was sent. */
export interface ImportRow {
  /** The position of the row in its file. */
  line: number
  /** The body that creates a record; it is not validated yet. */
  body: unknown
  /** The issues that were found earlier. A row with such issues is not stored. */
  errors: readonly RowIssue[]
}

/** A row after its validation. A sink keeps what it needs to store the row in further members. */
export interface ValidatedRow {
  line: number
  errors: readonly RowIssue[]
}

/** Where the records of a file go. */
export interface RecordTarget {
  organization: string
  /** The application of rows that name none. A row that names another application fails. */
  application: string
  /** The network of rows that name none; null for the application's default. */
  network: string | null
}

/** What a dry run has seen of its own file, by keys of any length. It is kept while the job is not ended. */
export interface SeenKeys {
  /** Returns those of the keys that were added before. */
  find(trx: Knex, keys: readonly string[]): Promise<ReadonlySet<string>>
  add(trx: Knex, keys: readonly string[]): Promise<void>
}

export interface WriterOptions extends RecordTarget {
  /** The import that the rows belong to. */
  job: string
  onDuplicate: 'skip' | 'update' | 'fail'
  /** Whether this is a dry run, which writes nothing but the keys that it has seen in its own file. */
  dryRun: boolean
  seenKeys: SeenKeys
  /**
   * The maximum number of calls of `store` in one transaction, if the caller repeats a transaction that failed with
   * `RepeatTransactionError`; null if it does not.
   */
  repeatableCalls: number | null
}

/** The members that a sink keeps in the state of the import's job, beside those of the import itself. */
export type SinkState = Record<string, unknown>

/** The result of storing some rows. `failed` counts rows; a failed row has one error or several. */
export interface StoreResult {
  created: number
  updated: number
  skipped: number
  failed: number
  errors: readonly (RowIssue & { line: number })[]
}

/**
 * The error of a writer that took a short cut which was not open to it: for instance it stored rows as new, and one of
 * them was not. The caller undoes the whole transaction and stores the same rows again.
 */
export class RepeatTransactionError extends Error {
  override name = 'RepeatTransactionError'
}

/** Stores the rows of one import. It lives as long as one run of the import's job. */
export interface RecordWriter<Row extends ValidatedRow = ValidatedRow> {
  /**
   * Stores rows in the caller's transaction. Rows with errors are counted as failed. The server may still be working
   * when this returns: `flush` has to be called before the commit.
   * @param onIdle called when only the database has work left to do
   * @returns the result, and the new state of the sink
   * @throws NOT_FOUND for an application that does not exist any more
   * @throws RepeatTransactionError
   */
  store(
    trx: Knex.Transaction,
    rows: readonly Row[],
    state: SinkState,
    onIdle?: () => void,
  ): Promise<{ result: StoreResult; state: SinkState }>
  /** Waits until the server has stored everything. @throws RepeatTransactionError */
  flush(trx: Knex.Transaction): Promise<void>
}

/** The shape of the values of a destination; it is compared with what the values of a column look like. */
export type ValueShape =
  'text' | 'longText' | 'number' | 'date' | 'email' | 'phone' | 'url' | 'country' | 'granularity' | 'gtin' | 'boolean'

/** Where the values of a column can go. */
export interface Destination {
  /** Dotted path in the body that creates a record. */
  path: string
  /** The name of the destination for people. */
  label: string
  shape: ValueShape
  /**
   * Headings that mean it, in small letters and without accents. The destinations of a sink have them all or none: without
   * them the words of product catalogues decide.
   */
  synonyms?: readonly string[]
}

/**
 * What an import writes to: it validates the rows of a file and stores them as records. Imports know nothing else of
 * what they create. The methods are called with the rows that `validate` of the same sink returned.
 */
export interface RecordSink<Row extends ValidatedRow = ValidatedRow> {
  /** The name of its records in requests, as `entityName`. */
  entity: RecordEntity
  /** What a record is called within a sentence, such as `passport`. */
  noun: string
  /** The resource whose permissions imports, and what belongs to them, need. */
  resource: Resource
  /** The destinations that are suggested. A mapper may name other paths below members that contain others. */
  destinations: readonly Destination[]
  /** The maximum numbers of slices, and of rows if all or none are stored, in one transaction. */
  limits: { slices: number; atomicRows: number }
  /** What a scheduled fetch does with records that exist, unless its mapper says otherwise. */
  scheduledPolicy: 'update' | 'skip'
  /** The members of the body that creates a record. */
  members: readonly string[]
  /** Those of the members that contain others; all other members are single values. */
  containers: readonly string[]
  /** The paths that every body needs. */
  requiredPaths: readonly string[]
  /** Returns the network of an organization's records that name none; null for the application's default. */
  findDefaultNetwork(context: Context, organization: string): Promise<string | null>
  /** Says what is wrong with a network that a request of an organization names for its rows, if anything is. */
  validateNetwork(context: Context, organization: string, network: string): Promise<Issue | undefined>
  /** Validates rows as the creation of a record does, without writing. It takes the rows one by one. */
  validate(context: Context, target: RecordTarget, rows: Iterable<ImportRow>): Promise<Row[]>
  createWriter(context: Context, options: WriterOptions): RecordWriter<Row>
  /** Ends an import whose rows are all stored, in the caller's transaction. */
  finish(trx: Knex, context: Context, state: SinkState): Promise<void>
}
