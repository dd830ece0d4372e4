import { hash } from 'node:crypto'
import type { Listed, Page } from '../kernel/page.ts'
import type { Direct, Statement } from './connection.ts'
import { filterSql, joined, type Sql } from './list.filters.ts'
import { after, orderOf, orderSql, readCursor, refusedCursor, writeCursorOf, type Key } from './list.order.ts'
import { bornOut, totalOf, type Total } from './list.total.ts'
import { deep, type Columns } from './list.ts'

/** A list that PostgreSQL answers straight through the driver, in one statement where its number of rows is maintained. */
export interface DirectList<Row, Shown> {
  /** The table, under the name that the columns use. */
  table: string
  /** SQL of what `present` needs of a row. */
  selected: string
  present: (row: Row) => Shown
  columns: Columns
  /** What the caller may see of it. */
  tenancy: Sql
  /** SQL of the exact number of rows, where it is maintained for these filters. */
  counted: Sql | null
}

/** What is found beside a row: the number of all rows, where it is maintained, and the keys of the order as text. */
type PlacedRow = { total: number | null } & Record<`key${number}`, string | null>

/** What is needed of a list to ask for its rows. */
type ListSource = Omit<DirectList<never, unknown>, 'present'>

/**
 * One page of the list, as `listPage` answers it, but without a row becoming a model in between.
 * @throws INVALID_PAGINATION for a cursor of another order
 */
export async function listDirectly<Row, Shown>(direct: Direct, list: DirectList<Row, Shown>, page: Page): Promise<Listed<Shown>> {
  const keys = orderOf(page.sorters, list.columns, `${list.table}.id`)
  const filters = filterSql(page.filters, list.columns)
  const matching = filters ? joined([list.tenancy, filters], 'and') : list.tenancy
  const [rows, total] = await Promise.all([
    ask<Row & PlacedRow>(direct, pageSql(list, page, keys, matching), isCommon(page)).catch(page.cursor === null ? raise : refused),
    list.counted ? null : countRows(direct, list, matching),
  ])
  const last = rows.length > page.pageSize ? rows[page.pageSize - 1] : undefined
  const data = rows.slice(0, page.pageSize).map(list.present)
  const counted = total ?? { total: rows[0]?.total ?? await maintainedTotal(direct, list) }
  return {
    data,
    ...(page.cursor === null
      ? bornOut(counted, { offset: (page.currentPage - 1) * page.pageSize, rows: data.length, hasMore: last !== undefined })
      : counted),
    currentPage: page.currentPage,
    pageSize: page.pageSize,
    nextCursor: last ? writeCursorOf(keys, keys.map((_, at) => last[`key${at}`] ?? null)) : null,
  }
}

const raise = (error: unknown): never => { throw error }

/** What PostgreSQL cannot read as a value of its column was no cursor of ours: SQLSTATE class 22. */
function refused(error: unknown): never {
  throw ((error as { code?: string }).code ?? '').startsWith('22') ? refusedCursor() : error
}

/** A page, each row with the number of all rows where that is maintained. */
function pageSql({ table, selected, counted }: ListSource, page: Page, keys: readonly Key[], matching: Sql): Sql {
  const behind = page.cursor === null ? null : after(keys, readCursor(page.cursor, keys))
  const offset = page.cursor === null ? (page.currentPage - 1) * page.pageSize : 0
  const { sql, bindings } = behind ? joined([matching, behind], 'and') : matching
  const order = keys.map(orderSql).join(', ')
  // Numbers of ours, not bound: of a page whose place it does not know PostgreSQL expects a tenth of all rows, and plans
  // the statement anew each time.
  const some = `from ${table} where ${sql} order by ${order} limit ${page.pageSize + 1} offset ${offset}`
  const sortKeys = keys.map(({ sql }, at) => `(${sql})::text as key${at}`).join(', ')
  const row = `select ${selected}, ${sortKeys}, (${counted?.sql ?? 'null'}) as total`
  return {
    // What is beside a row is looked up for those of the page alone; from far on the rows before it are read from the
    // index alone.
    sql: offset < deep
      ? `${row} from (select * ${some}) ${table} order by ${order}`
      : `${row} from ${table} where ${table}.id in (select ${table}.id ${some}) order by ${order}`,
    bindings: [...counted?.bindings ?? [], ...bindings],
  }
}

/** The number of all rows for a page that has none to tell it. */
async function maintainedTotal(direct: Direct, { counted }: ListSource): Promise<number> {
  if (!counted) return 0
  const [row] = await ask<{ total: number }>(direct, { ...counted, sql: `select (${counted.sql}) as total` }, true)
  return row?.total ?? 0
}

function countRows(direct: Direct, { table }: ListSource, { sql, bindings }: Sql): Promise<Total> {
  const countSql = (limit: number): Sql =>
    ({ sql: `select count(*) as count from (select from ${table} where ${sql} limit ${limit}) s`, bindings })
  return totalOf({
    async count(limit) {
      const [counted] = await ask<{ count: number }>(direct, countSql(limit), false)
      return counted?.count ?? 0
    },
    async countWithin(limit, milliseconds) {
      const text = numbered(countSql(limit).sql)
      const rows = await direct.rowsWithin<{ count: number }>(milliseconds, { text }, bindings)
      return rows && (rows[0]?.count ?? 0)
    },
    async estimate() {
      const explained = { sql: `explain (format json) select from ${table} where ${sql}`, bindings }
      const [plan] = await ask<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(direct, explained, false)
      return Math.round(plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0)
    },
  })
}

/** Pages by number, from the first on, and their sizes, whose statements are kept. */
const keptPages = 5
const keptSizes: ReadonlySet<number> = new Set([10, 20, 50, 100])

/**
 * Whether the statement is one of few: those are planned once a connection. What filters by more than one field, or
 * filters and is not in the order of its creation, as the indexes are, is planned for its values: for a rare one a plan
 * for all of them would read every row.
 */
function isCommon({ filters: { value: [first, ...others] }, sorters, cursor, currentPage, pageSize }: Page): boolean {
  if (!keptSizes.has(pageSize) || (cursor === null && currentPage > keptPages)) return false
  if (others.length > 0 || sorters.length > 1) return false
  return !first || ('field' in first && first.operator === 'eq' && (sorters[0]?.field ?? 'createdAt') === 'createdAt')
}

/** Plans that a connection keeps at most. */
const maxNames = 64
const names = new Map<string, Statement>()

function ask<Row>(direct: Direct, { sql, bindings }: Sql, common: boolean): Promise<Row[]> {
  return direct.rows<Row>(common ? namedOf(sql) : { text: numbered(sql) }, bindings)
}

function namedOf(sql: string): Statement {
  const known = names.get(sql)
  if (known) return known
  const text = numbered(sql)
  if (names.size >= maxNames) return { text }
  const statement = { name: `list_${hash('sha256', sql, 'base64url').slice(0, 22)}`, text }
  names.set(sql, statement)
  return statement
}

/** With the driver's marks. Texts have no other question marks than those of their values. */
function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
