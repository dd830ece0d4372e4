import type { NewPassport } from './passports.schema.ts'

/** Something wrong with a row. `value`: what is to blame as text, at most 200 characters. */
export interface RowProblem { path: string; code: string; message: string; value: string | null }

/** A row as its mapper left it, or as it was sent. */
export interface ImportRow {
  /** Where it stands in its file. */
  line: number
  /** The body of a creation; anything, as nobody has judged it yet. */
  body: unknown
  /** What was wrong already: such a row is not stored. */
  errors: readonly RowProblem[]
}

export interface ImportOptions {
  organization: string
  /** Application of rows that name none; a row that names another one fails. */
  application: string
  /** Network of product-flow rows that name none; null: the default of the application. */
  network: string | null
}

/** A judged row. `body` is null where there are errors. */
export interface PreparedRow { line: number; body: NewPassport | null; errors: readonly RowProblem[] }

export interface StoreOptions extends ImportOptions {
  onDuplicate: 'skip' | 'update' | 'fail'
  /** Nothing is written but what the dry run has seen of its own file. */
  dryRun: boolean
  /** The import that rows are of. */
  batch: string
  /** The structure job that new passports of the product flow show as theirs; null on a dry run. */
  structure: string | null
}

/** What became of a slice. Failed rows have one error or several, of which `failed` counts rows. */
export interface Stored {
  created: number
  updated: number
  skipped: number
  failed: number
  errors: readonly (RowProblem & { line: number })[]
}
