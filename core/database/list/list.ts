import type { PageResult, PageRequest } from '../../kernel/page.ts'
import { createCursorProblem, formatCursor, parseCursor } from './cursor.ts'
import { createFilterSql, type Columns } from './filters.ts'
import { createAfterSql, createSortKeys } from './order.ts'
import type { ListSource, RowSelection } from './source.ts'
import { adjustTotal, type ListTotal } from './total.ts'

/**
 * Reads one page of a list, by page number or by cursor.
 * @returns the rows as the source reads them, with the total, which is adjusted to the page unless a cursor was sent
 * @throws INVALID_PAGINATION for a cursor of another order or list
 */
export async function listPage<Row extends object>(
  source: ListSource<Row>,
  page: PageRequest,
  columns: Columns,
): Promise<PageResult<Row>> {
  const selection = createSelection(source, page, columns)
  const [rows, counted] = await readRowsAndTotal(source, selection)
  const hasMore = rows.length > page.pageSize
  const data = rows.slice(0, page.pageSize)
  const last = data.at(-1)
  return {
    data,
    ...(page.cursor === null
      ? adjustTotal(counted, { offset: selection.offset, rows: data.length, hasMore })
      : counted),
    currentPage: page.currentPage,
    pageSize: page.pageSize,
    nextCursor: hasMore && last ? formatCursor(selection.keys, last) : null,
  }
}

function createSelection<Row extends object>(
  source: ListSource<Row>,
  page: PageRequest,
  columns: Columns,
): RowSelection {
  const keys = createSortKeys(page.sorters, columns, source.id)
  return {
    page,
    keys,
    filters: createFilterSql(page.filters, columns),
    after: page.cursor === null ? null : createAfterSql(keys, parseCursor(page.cursor, keys)),
    offset: page.cursor === null ? (page.currentPage - 1) * page.pageSize : 0,
    limit: page.pageSize + 1,
  }
}

async function readRowsAndTotal<Row extends object>(
  source: ListSource<Row>,
  selection: RowSelection,
): Promise<[Row[], ListTotal]> {
  const readRows = () => source.readRows(selection).catch(selection.after ? throwCursorProblem : rethrow)
  if (source.readMaintainedTotal) {
    const rows = await readRows()
    return [rows, { total: await source.readMaintainedTotal(rows) }]
  }
  const readTotal = () => source.computeTotal(selection.filters)
  if (selection.filters && selection.page.cursor === null) {
    // What is filtered is often all on one page, whose rows say how many there are.
    const rows = await readRows()
    return [rows, isLastPage(rows, selection) ? { total: selection.offset + rows.length } : await readTotal()]
  }
  if (!source.isSerial) return Promise.all([readRows(), readTotal()])
  const total = await readTotal()
  return [await readRows(), total]
}

const isLastPage = (rows: readonly unknown[], { offset, limit }: RowSelection) =>
  rows.length < limit && (rows.length > 0 || offset === 0)

const rethrow = (error: unknown): never => {
  throw error
}

/**
 * Throws a cursor problem if PostgreSQL could not parse a value of the cursor (SQLSTATE class 22), which is then not
 * ours.
 */
function throwCursorProblem(error: unknown): never {
  const { code, nativeError } = error as { code?: string; nativeError?: { code?: string } }
  throw (nativeError?.code ?? code ?? '').startsWith('22') ? createCursorProblem() : error
}
