import { hash } from 'node:crypto'
import type { Listed, Page } from '../kernel/page.ts'
import type { Direct, Statement } from './connection.ts'
import { filterSql, joined, type Sql } from './list.filters.ts'
import { after, orderOf, orderSql, readCursor, refusedCursor, writeCursorOf, type Key } from './list.order.ts'
import { bornOut, totalOf, type Total } from './list.total.ts'
import { deep, type Columns } from './list.ts'

/** A list that PostgreSQL answers as JSON, in one statement where its number of rows is known. */
export interface DirectList {
  /** The table, under the name that the columns use. */
  table: string
  /** SQL of one row as JSON. */
  shown: string
  columns: Columns
  /** What the caller may see of it. */
  tenancy: Sql
  /** SQL of the exact number of rows, where it is maintained for these filters. */
  counted: Sql | null
}

interface Found { total: number | null; rows: [shown: object, ...keys: (string | null)[]][] | null }

/**
 * One page of the list, as `listPage` answers it, but without a row becoming a model in between.
 * @throws INVALID_PAGINATION for a cursor of another order
 */
export async function listDirectly<Row>(direct: Direct, list: DirectList, page: Page): Promise<Listed<Row>> {
  const keys = orderOf(page.sorters, list.columns, `${list.table}.id`)
  const filters = filterSql(page.filters, list.columns)
  const matching = filters ? joined([list.tenancy, filters], 'and') : list.tenancy
  const [[found], total] = await Promise.all([
    ask<Found>(direct, pageSql(list, page, keys, matching), isCommon(page)).catch(page.cursor === null ? raise : refused),
    list.counted ? null : countRows(direct, list, matching),
  ])
  const rows = found?.rows ?? []
  const last = rows.length > page.pageSize ? rows[page.pageSize - 1] : undefined
  const data = rows.slice(0, page.pageSize).map(([shown]) => shown as Row)
  const counted = total ?? { total: found?.total ?? 0 }
  return {
    data,
    ...(page.cursor === null
      ? bornOut(counted, { offset: (page.currentPage - 1) * page.pageSize, rows: data.length, hasMore: last !== undefined })
      : counted),
    currentPage: page.currentPage,
    pageSize: page.pageSize,
    nextCursor: last ? writeCursorOf(keys, last.slice(1) as (string | null)[]) : null,
  }
}

const raise = (error: unknown): never => { throw error }

/** What PostgreSQL cannot read as a value of its column was no cursor of ours: SQLSTATE class 22. */
function refused(error: unknown): never {
  throw ((error as { code?: string }).code ?? '').startsWith('22') ? refusedCursor() : error
}

/** A page and, where it is maintained, the number of all rows. */
function pageSql({ table, shown, counted }: DirectList, page: Page, keys: readonly Key[], matching: Sql): Sql {
  const behind = page.cursor === null ? null : after(keys, readCursor(page.cursor, keys))
  const offset = page.cursor === null ? (page.currentPage - 1) * page.pageSize : 0
  const { sql, bindings } = behind ? joined([matching, behind], 'and') : matching
  const order = keys.map(orderSql).join(', ')
  // Numbers of ours, not bound: of a page whose place it does not know PostgreSQL expects a tenth of all rows, and plans
  // the statement anew each time.
  const some = `from ${table} where ${sql} order by ${order} limit ${page.pageSize + 1} offset ${offset}`
  const sortKeys = keys.map(({ sql }, at) => `(${sql})::text as key${at}`).join(', ')
  const selected = `select ${shown} as shown, ${sortKeys}`
  // From far on the rows before the page are read from the index alone.
  const rows = offset < deep
    ? `${selected} ${some}`
    : `${selected} from ${table} where ${table}.id in (select ${table}.id ${some}) order by ${order}`
  const members = ['shown', ...keys.map((_, at) => `key${at}`)].map((name) => `r.${name}`).join(', ')
  return {
    sql: `select (${counted?.sql ?? 'null'}) as total, (select json_agg(json_build_array(${members})) from (${rows}) r) as rows`,
    bindings: [...counted?.bindings ?? [], ...bindings],
  }
}

function countRows(direct: Direct, { table }: DirectList, { sql, bindings }: Sql): Promise<Total> {
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
const mostNames = 64
const names = new Map<string, Statement>()

function ask<Row>(direct: Direct, { sql, bindings }: Sql, common: boolean): Promise<Row[]> {
  return direct.rows<Row>(common ? namedOf(sql) : { text: numbered(sql) }, bindings)
}

function namedOf(sql: string): Statement {
  const known = names.get(sql)
  if (known) return known
  const text = numbered(sql)
  if (names.size >= mostNames) return { text }
  const statement = { name: `list_${hash('sha256', sql, 'base64url').slice(0, 22)}`, text }
  names.set(sql, statement)
  return statement
}

/** With the driver's marks. Texts have no other question marks than those of their values. */
function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
