import type { PageRequest } from '../../kernel/page.ts'
import type { Sql } from './filters.ts'
import type { SortKey } from './order.ts'
import type { ListTotal } from './total.ts'

/** The rows of one page, in SQL. */
export interface RowSelection {
  /** The page as its caller asked for it. */
  page: PageRequest
  /** Condition of the page's filters, or null if it has none. */
  filters: Sql | null
  /** Condition of the rows after the page's cursor, or null for a page by number. */
  after: Sql | null
  keys: readonly SortKey[]
  offset: number
  /** One more than a page has, which tells whether more rows follow. */
  limit: number
}

/** Where the rows of a list come from. Its own conditions, such as the tenancy, hold for the rows and for their number. */
export interface ListSource<Row extends object> {
  /** SQL of the id, which is part of every order, so that pages never overlap. */
  readonly id: string
  /** Whether statements run one after the other, as on the single connection of a transaction. */
  readonly isSerial: boolean
  /** Reads rows in the order of their keys, each with the text of its keys as `key0`, `key1` and so on. */
  readRows(selection: RowSelection): Promise<Row[]>
  /** Computes the number of rows that fulfil a condition. */
  computeTotal(filters: Sql | null): Promise<ListTotal>
  /** Returns the number of rows that the database maintains. Absent if the rows have to be counted. */
  readMaintainedTotal?(rows: readonly Row[]): Promise<number>
}

/**
 * Returns a source that does not count its rows. A caller that reads all of them needs no total, and counting would cost
 * more than reading a batch.
 */
export const withoutTotal = <Row extends object>(source: ListSource<Row>): ListSource<Row> => ({
  ...source,
  readMaintainedTotal: async () => 0,
})

/** Offset from which a page's ids are found first, so that the rows before the page are read only from the index. */
export const minDeepOffset = 1_000
