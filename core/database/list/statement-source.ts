import { hash } from 'node:crypto'
import type { PageRequest } from '../../kernel/page.ts'
import type { DirectDatabase, Statement } from '../connection.ts'
import { createRowCounter } from './counter.ts'
import { computeKeptTotal } from './estimates.ts'
import { joinConditions, type Sql } from './filters.ts'
import { createOrderSql } from './order.ts'
import { minDeepOffset, type ListSource, type RowSelection } from './source.ts'

/** The SQL of a list that is read without models. */
export interface ListStatement {
  /** The table, under the name that the columns use. */
  table: string
  /** SQL of the selected columns. */
  selected: string
  /** Condition for the rows that the caller may see. */
  tenancy: Sql
  /** SQL of the exact number of rows, or null if that number is not maintained for these filters. */
  counted: Sql | null
}

/** Column of a row: the maintained total, or null if there is none. */
interface CountedRow {
  total: number | null
}

/**
 * Creates a source of the rows of a statement, which the driver runs without creating models. A maintained total is
 * read in the same statement.
 */
export function createStatementSource<Row extends object>(
  direct: DirectDatabase,
  list: ListStatement,
): ListSource<Row & CountedRow> {
  const { table, tenancy, counted } = list
  return {
    id: `${table}.id`,
    isSerial: false,
    readRows: (selection) => queryRows(direct, createRowsSql(list, selection), isPreparedPage(selection.page)),
    computeTotal(filters) {
      const { sql, bindings } = joinPresent([tenancy, filters])
      const text = numberPlaceholders(`select from ${table} where ${sql}`)
      const counter = createRowCounter(direct, { text, values: bindings }, true)
      return computeKeptTotal(direct, JSON.stringify([text, bindings]), counter)
    },
    ...(counted && { readMaintainedTotal: (rows) => readMaintainedTotal(direct, counted, rows) }),
  }
}

const joinPresent = (conditions: readonly (Sql | null)[]): Sql =>
  joinConditions(
    conditions.filter((condition) => condition !== null),
    'and',
  )

/** Creates the SQL of a page. Each row has the total number of rows if that is maintained. */
function createRowsSql({ table, selected, tenancy, counted }: ListStatement, selection: RowSelection): Sql {
  const { filters, after, keys, offset, limit } = selection
  const { sql, bindings } = joinPresent([tenancy, filters, after])
  const order = keys.map(createOrderSql).join(', ')
  // These numbers are ours and not bound as values: with an unknown limit PostgreSQL expects a tenth of all rows and
  // plans the statement again each time.
  const pageCondition = `from ${table} where ${sql} order by ${order} limit ${limit} offset ${offset}`
  const sortKeys = keys.map((key, at) => `(${key.sql})::text as key${at}`).join(', ')
  const row = `select ${selected}, ${sortKeys}, (${counted?.sql ?? 'null'}) as total`
  return {
    // Columns from other tables are looked up only for the rows of the page. For a deep page, the rows before it are
    // read only from the index.
    sql:
      offset < minDeepOffset
        ? `${row} from (select * ${pageCondition}) ${table} order by ${order}`
        : `${row} from ${table} where ${table}.id in (select ${table}.id ${pageCondition}) order by ${order}`,
    bindings: [...(counted?.bindings ?? []), ...bindings],
  }
}

/** Returns the total that the rows carry, or reads it for a page without rows. */
async function readMaintainedTotal(
  direct: DirectDatabase,
  counted: Sql,
  [first]: readonly CountedRow[],
): Promise<number> {
  if (first) return first.total ?? 0
  const statement = { ...counted, sql: `select (${counted.sql}) as total` }
  const [row] = await queryRows<CountedRow>(direct, statement, true)
  return row?.total ?? 0
}

/** Highest page number, and page sizes, for which statements are prepared. */
const maxPreparedPages = 5
const preparedPageSizes: ReadonlySet<number> = new Set([10, 20, 50, 100])

/**
 * Checks whether the page's statement is one of the few that each connection prepares. A page with several filters, or
 * with a filter but not ordered by creation like the indexes, is planned for its values: with a rare value, a generic
 * plan would read every row.
 */
function isPreparedPage({
  filters: {
    value: [first, ...others],
  },
  sorters,
  cursor,
  currentPage,
  pageSize,
}: PageRequest): boolean {
  if (!preparedPageSizes.has(pageSize) || (cursor === null && currentPage > maxPreparedPages)) return false
  if (others.length > 0 || sorters.length > 1) return false
  return !first || ('field' in first && first.operator === 'eq' && (sorters[0]?.field ?? 'createdAt') === 'createdAt')
}

/** Maximum number of prepared statements per connection. */
const maxPreparedStatements = 64
const preparedStatements = new Map<string, Statement>()

function queryRows<Row>(direct: DirectDatabase, { sql, bindings }: Sql, isPrepared: boolean): Promise<Row[]> {
  return direct.queryRows<Row>(isPrepared ? getPreparedStatement(sql) : { text: numberPlaceholders(sql) }, bindings)
}

function getPreparedStatement(sql: string): Statement {
  const known = preparedStatements.get(sql)
  if (known) return known
  const text = numberPlaceholders(sql)
  if (preparedStatements.size >= maxPreparedStatements) return { text }
  const statement = { name: `list_${hash('sha256', sql, 'base64url').slice(0, 22)}`, text }
  preparedStatements.set(sql, statement)
  return statement
}

/** Replaces question marks by the placeholders of the driver. The SQL has no other question marks. */
function numberPlaceholders(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
