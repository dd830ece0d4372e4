import type { Network } from '../../chains/networks.ts'
import type { KnownParents } from './import.known.ts'
import type { Keys } from './import.keys.ts'
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

/** What a good row stores, spelled as JSON already. */
export type RowContent = SheetContent | ProductContent

interface SheetContent {
  flow: 'sheet'
  sheet: string
  /** Of the sheet that it was judged by. */
  version: number
  schemaVersion: number
  network: Network
  fields: string
}

interface ProductContent {
  flow: 'product'
  /** Null: the default of the application. */
  network: Network | null
  product: string
  data: string
}

/** A judged row. `body`, `content` and `keys` are null where there are errors. */
export interface PreparedRow {
  line: number
  body: NewPassport | null
  content: RowContent | null
  /** Worked out while another slice is being stored. */
  keys: Keys | null
  errors: readonly RowProblem[]
}

export interface StoreOptions extends ImportOptions {
  onDuplicate: 'skip' | 'update' | 'fail'
  /** Nothing is written but what the dry run has seen of its own file. */
  dryRun: boolean
  /** The import that rows are of. */
  batch: string
  /** The structure job that new passports of the product flow show as theirs; null on a dry run. */
  structure: string | null
  /**
   * Whether nothing of it is expected to be there already: rows are not looked for before they are stored, and the
   * caller undoes its transaction where one is there after all.
   */
  newOnly?: boolean
  /** What earlier transactions of the import have found. */
  parents?: KnownParents
  /** Called when what is left to do is the database's work. */
  idle?: () => void
}

/** New passports of the product flow, by whether the structure job has still to look at them. */
export interface Hung {
  /** Those with every parent that their numbers name. */
  linked: number
  /** Those whose numbers name none, or nothing that could be looked for. */
  alone: number
  /** Those left to the structure job. */
  waiting: number
}

/** What became of a slice. Failed rows have one error or several, of which `failed` counts rows. */
export interface Stored {
  created: number
  updated: number
  skipped: number
  failed: number
  hung: Hung
  errors: readonly (RowProblem & { line: number })[]
}
