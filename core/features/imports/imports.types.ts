import type { Encoding } from './encodings.ts'
import type { MapperRow } from './mappers.schema.ts'

/** How the bytes of a file are to be read. */
export interface Dialect {
  format: 'json' | 'ndjson' | 'csv' | 'xlsx'
  encoding: Encoding
  /** CSV: the encoding is what it looks like; nobody said so. */
  guessed?: true
  /** Whether it begins with a byte order mark. */
  bom: boolean
  /** CSV only. */
  delimiter?: string
  /** CSV only: number of columns of the header. */
  columns?: number
  /** Excel only: the sheet that is read. */
  sheet?: string
  /** What was found out while it was received and is to be told. */
  warnings?: ImportWarning[]
}

/** Something that is wrong with a row of a file, or with a value in it. */
export interface RowError {
  /** Dotted path in the passport's body, or the name of the column; empty for the row as a whole. */
  path: string
  code: string
  message: string
  /** The value to blame as text, at most 200 characters; null where there is none. */
  value: string | null
}

/** Something that is no error of a row and has to be said all the same. */
export interface ImportWarning {
  code: string
  /** Dotted path in the passport's body, or the name of a column; empty for the file as a whole. */
  path: string
  message: string
  /** How often it is so. */
  count: number
}

/** What is known of a file before its first row is stored. */
export interface FileNotes {
  warnings: ImportWarning[]
  /** CSV: columns that no row of the mapper reads. */
  unusedColumns: string[]
}

/** One row of a file. */
export interface SourceRow {
  /** JSON array: index from 0. CSV and NDJSON: physical line from 1, of a CSV record that on which it begins. */
  line: number
  /** CSV: the cells in the order of the header, as many as it has. JSON: the value. Null with a fault. */
  value: unknown
  /** Why the row itself cannot be read. It fails alone. */
  fault: RowError | null
}

/** Where reading goes on after a crash. Bytes are those of the decoded text as UTF-8. */
export interface Checkpoint { rows: number; line: number; bytes: number }

export interface Batch {
  rows: SourceRow[]
  /** The place after the last row. */
  after: Checkpoint
}

/** A source that is being read. */
export interface Source {
  /** CSV: the names in the header; null for JSON. */
  columns: string[] | null
  /** Slices of `size` rows in their order, the last one shorter. @throws InitError at the place that cannot be read */
  batches(size: number): AsyncGenerator<Batch>
}

/** Bytes of every piece of a staged file but the last. */
export const pieceBytes = 1024 * 1024

/** Pieces of a staged file in their order, from one of them on. @param from index of the first piece */
export type Pieces = (from: number) => AsyncIterable<Buffer>

/**
 * Why an import as a whole cannot go on: shown as `initError` and among the errors of the job. `line` where one is to
 * blame. Rows that were stored before stay.
 */
export class InitError extends Error {
  override name = 'InitError'
  readonly code: string
  readonly line: number
  constructor(code: string, message: string, options: { line?: number; cause?: unknown } = {}) {
    // It may quote a file, and the database takes neither NUL nor half a character.
    const text = message.replaceAll('\0', '\ufffd').toWellFormed()
    super(text, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.line = options.line ?? 0
  }
}

/** What the job of an import is given; everything else is in its row of `imports`. */
export interface ImportPayload {
  /** The staged file; null while a mapper's address has still to be fetched. */
  upload: string | null
  /** The mapper's rows as they were when the import began; null without mapper. */
  rows: readonly MapperRow[] | null
  /** What is known of the file is written down already. */
  noted?: true
}
