import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Encoding } from './encodings.ts'
import type { MapperRow } from './mappers.schema.ts'

/** How the bytes of a file are read. */
export interface Dialect {
  format: 'json' | 'ndjson' | 'csv' | 'xlsx'
  encoding: Encoding
  /** CSV only: true if the encoding was guessed from the bytes because nobody named it. */
  guessed?: true
  /** Whether the file begins with a byte order mark. */
  bom: boolean
  /** CSV only. */
  delimiter?: string
  /** CSV only: the number of columns of the header. */
  columns?: number
  /** Excel only: the sheet that is read. */
  sheet?: string
  /** Warnings that arose while the file was received and that the import reports. */
  warnings?: ImportWarning[]
}

/** A remark on a file that is not an error of a row. */
export interface ImportWarning {
  code: string
  /** Dotted path in the passport's body, or the name of a column; empty for the file as a whole. */
  path: string
  message: string
  /** How many times the warning applies. */
  count: number
}

/** What is known about a file before its first row is stored. */
export interface FileNotes {
  warnings: ImportWarning[]
  /** CSV: columns that no row of the mapper reads. */
  unusedColumns: string[]
}

/** One row of a file. */
export interface SourceRow {
  /** JSON array: the index from 0. CSV and NDJSON: the physical line from 1; of a CSV record, its first line. */
  line: number
  /**
   * CSV: the cells in the order of the header, as many as the header has. JSON: the value. Null if there is an issue.
   */
  value: unknown
  /** Why the row cannot be read. Only this row fails. */
  issue: RowIssue | null
}

/** The place where reading continues after a crash. `bytes` counts the decoded text as UTF-8. */
export interface Checkpoint {
  rows: number
  line: number
  bytes: number
}

export interface RowBatch {
  rows: SourceRow[]
  /** The place after the last row. */
  after: Checkpoint
}

/** A source that is being read. */
export interface Source {
  /** CSV: the names in the header; null for JSON. */
  columns: string[] | null
  /**
   * Yields the rows in order in slices of `size` rows; the last slice may be shorter.
   * @throws InitError where the source cannot be read
   */
  batches(size: number): AsyncGenerator<RowBatch>
}

/** The size in bytes of every piece of a staged file except the last. */
export const pieceBytes = 1024 * 1024

/** A function that reads the pieces of a staged file in order. @param from index of the first piece to read */
export type Pieces = (from: number) => AsyncIterable<Buffer>

/**
 * The reason why an import as a whole cannot go on: shown as `initError` and among the errors of the job. `line` is the
 * line that is to blame, 0 if there is none. Rows that were stored before the error stay.
 */
export class InitError extends Error {
  override name = 'InitError'
  readonly code: string
  readonly line: number
  constructor(code: string, message: string, options: { line?: number; cause?: unknown } = {}) {
    // The message may quote a file, and the database accepts neither NUL nor half of a surrogate pair.
    const text = message.replaceAll('\0', '\ufffd').toWellFormed()
    super(text, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.line = options.line ?? 0
  }
}

/** The input of an import's job; everything else is in the import's row of `imports`. */
export interface ImportPayload {
  /** The staged file; null until the mapper's address has been fetched. */
  upload: string | null
  /** The mapper's rows as they were when the import began; null without a mapper. */
  rows: readonly MapperRow[] | null
  /** True if the file's notes are already stored. */
  noted?: true
}
