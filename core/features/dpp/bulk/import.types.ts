import type { ParentCounts } from '../structure/index.ts'
import type { Network } from '../../../chains/networks.ts'
import type { StoreResult, ValidatedRow, WriterOptions } from '../../../kernel/ports/record-sink.ts'
import type { ParentCache } from './import.parents.ts'
import type { UniqueKeys } from './import.keys.ts'
import type { NewPassport } from '../passports/index.ts'

/** The content of a valid row, with its objects as JSON text. */
export type RowContent = SheetContent | ProductContent

interface SheetContent {
  flow: 'sheet'
  sheet: string
  /** The version of the sheet that the row was validated against. */
  version: number
  schemaVersion: number
  network: Network
  fields: string
}

interface ProductContent {
  flow: 'product'
  /** Null for the application's default. */
  network: Network | null
  product: string
  data: string
}

/** A validated row. `body`, `content` and `keys` are null if there are errors. */
export interface PreparedRow extends ValidatedRow {
  body: NewPassport | null
  content: RowContent | null
  /** The keys are computed while another slice is being stored. */
  keys: UniqueKeys | null
}

/** What the statements that store rows need to know. */
export interface StoreOptions extends WriterOptions {
  /** The structure job of new passports of the product flow; null on a dry run. */
  structureJob: string | null
  /**
   * Whether all rows are expected to be new. They are stored without looking for existing passports, and the caller
   * undoes its transaction if one exists after all.
   */
  insertOnly?: boolean
  /** The parents that earlier transactions of the import have found. */
  parents?: ParentCache
  /** Called when only the database has work left to do. */
  onIdle?: () => void
}

/** The result of storing rows, with the parents of the new passports. */
export interface PassportStoreResult extends StoreResult {
  parentCounts: ParentCounts
}
