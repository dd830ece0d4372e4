import type { Knex } from 'knex'
import { raw, type AnyQueryBuilder, type Model as ObjectionModel, type QueryBuilder } from 'objection'
import type { Condition, FilterNode, Group, Listed, Page } from '../kernel/page.ts'
import {
  after,
  columnOf,
  orderOf,
  orderSql,
  readCursor,
  refusedCursor,
  writeCursor,
  type Key,
  type Where,
} from './list.order.ts'

/** Where a declared field lives in SQL. `sql` is a constant of ours, never a caller's text. */
export interface Column {
  sql: string
  /** `eq` compares without case. The expression should be indexed as `lower(...)`. */
  insensitive?: boolean
  /** Some rows have no value; they come last in both directions. Without it an index gives the order by itself. */
  nullable?: boolean
}
export type Columns = Readonly<Record<string, Column>>

export interface ListOptions {
  /** Exact totals above 10,000 for filters whose counts are maintained; null where they are not. */
  counts?: (page: Page) => Promise<number | null>
  /** Table-qualified id column; `id` of the model's table unless stated. */
  id?: string
}

/** Up to here a total is counted row by row. */
const countedExactly = 10_000

type Query<M extends ObjectionModel> = QueryBuilder<M, M[]>

/** From this row on a page is found by its ids first, so that the rows before it are read from the index alone. */
const deep = 1_000

/**
 * One page of `query` (which already carries tenancy and relations), by page number or by cursor.
 * Every order ends in the id, so pages never overlap. @throws INVALID_PAGINATION for a cursor of another order.
 */
export async function listPage<M extends ObjectionModel>(
  query: Query<M>,
  page: Page,
  columns: Columns,
  options: ListOptions = {},
): Promise<Listed<M>> {
  const table = query.modelClass().tableName
  const id = options.id ?? `${table}.id`
  const keys = orderOf(page.sorters, columns, id)
  const matching = query.clone()
  applyGroup(matching, page.filters, columns)
  const count = () => total(matching.clone(), page, options)
  const read = () => rowsOf(matching.clone(), page, keys, id)
  // A transaction has one connection only.
  const [counted, rows] = query.knex().isTransaction
    ? [await count(), await read()]
    : await Promise.all([count(), read()])
  const hasMore = rows.length > page.pageSize
  const data = rows.slice(0, page.pageSize)
  const last = data.at(-1)
  return {
    data: data as unknown as M[],
    ...counted,
    currentPage: page.currentPage,
    pageSize: page.pageSize,
    nextCursor: hasMore && last ? writeCursor(keys, last) : null,
  }
}

/** Adds the conditions of a list to a query: publish takes the filters of the list without its paging. */
export function applyFilters(query: AnyQueryBuilder, page: Page, columns: Columns): void {
  applyGroup(query, page.filters, columns)
}

async function rowsOf<M extends ObjectionModel>(
  query: Query<M>,
  page: Page,
  keys: readonly Key[],
  id: string,
): Promise<M[]> {
  const table = query.modelClass().tableName
  if (!query.hasSelects()) query.select(`${table}.*`)
  keys.forEach((key, at) => query.select(raw(`(${key.sql})::text`).as(`sort_key${at}`)))
  const found = query.clone().limit(page.pageSize + 1)
  for (const one of [found, query]) for (const key of keys) one.orderByRaw(orderSql(key))
  if (page.cursor !== null) return rowsAfter(found, page, keys)
  const offset = (page.currentPage - 1) * page.pageSize
  found.offset(offset)
  if (offset < deep) return found as unknown as Promise<M[]>
  const ids = found.clearSelect().select(raw(id))
  return query.whereIn(raw(id) as unknown as string, ids) as unknown as Promise<M[]>
}

/** Rows behind the cursor. What PostgreSQL cannot read as a value of its column was no cursor of ours: SQLSTATE class 22. */
async function rowsAfter<M extends ObjectionModel>(query: Query<M>, page: Page, keys: readonly Key[]): Promise<M[]> {
  query.where(after(keys, readCursor(page.cursor ?? '', keys)))
  try {
    return (await query) as unknown as M[]
  } catch (error) {
    const { code, nativeError } = error as { code?: string; nativeError?: { code?: string } }
    if ((nativeError?.code ?? code ?? '').startsWith('22')) throw refusedCursor()
    throw error
  }
}

async function total<M extends ObjectionModel>(query: Query<M>, page: Page, options: ListOptions) {
  const knex = query.knex()
  const capped = query
    .clone()
    .clearSelect()
    .clearOrder()
    .select(raw('1'))
    .limit(countedExactly + 1)
    .toKnexQuery()
  const counted = await knex.from((capped as Knex.QueryBuilder).as('matching')).count({ count: '*' })
  const found = Number(counted[0]?.count ?? 0)
  if (found <= countedExactly) return { total: found }
  const maintained = await options.counts?.(page)
  if (maintained !== undefined && maintained !== null) return { total: maintained }
  return { total: Math.max(found, await estimate(knex, query)), totalIsEstimate: true as const }
}

async function estimate<M extends ObjectionModel>(knex: Knex, query: Query<M>): Promise<number> {
  const { sql, bindings } = query.clone().clearSelect().select(raw('1')).toKnexQuery().toSQL().toNative()
  const asked = (await knex.client.acquireConnection()) as {
    query(q: unknown): Promise<{ rows: { 'QUERY PLAN': unknown }[] }>
  }
  try {
    const explained = await asked.query({ text: `explain (format json) ${sql}`, values: bindings })
    const plan = explained.rows[0]?.['QUERY PLAN'] as [{ Plan: { 'Plan Rows': number } }] | undefined
    return Math.round(plan?.[0].Plan['Plan Rows'] ?? 0)
  } finally {
    await knex.client.releaseConnection(asked)
  }
}

function applyGroup(query: AnyQueryBuilder, group: Group, columns: Columns): void {
  if (group.value.length > 0) void query.where(groupWhere(group, columns))
}

function groupWhere(group: Group, columns: Columns): Where {
  return (builder) => {
    for (const node of group.value) {
      const where = nodeWhere(node, columns)
      if (group.operator === 'or') void builder.orWhere(where)
      else void builder.andWhere(where)
    }
  }
}

function nodeWhere(node: FilterNode, columns: Columns): Where {
  if (!('field' in node)) return groupWhere(node, columns)
  const column = columnOf(columns, node.field)
  return (builder) => {
    const [sql, bindings] = conditionSql(node, column)
    void builder.whereRaw(sql, bindings)
  }
}

const comparison = { gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

function conditionSql(node: Condition, { sql, insensitive }: Column): [string, (string | number)[]] {
  const value = node.value as string | number
  // Any whole number of JSON compares with a column of fewer bits.
  const mark = typeof value === 'number' ? '?::bigint' : '?'
  switch (node.operator) {
    case 'null':
      return [`${sql} is null`, []]
    case 'nnull':
      return [`${sql} is not null`, []]
    case 'contains':
      return [`${sql} ilike ? escape '\\'`, [`%${String(value).replace(/[\\%_]/g, '\\$&')}%`]]
    case 'eq':
      return insensitive ? [`lower(${sql}) = lower(?)`, [value]] : [`${sql} = ${mark}`, [value]]
    case 'ne':
      return [`${sql} is distinct from ${mark}`, [value]]
    default:
      return [`${sql} ${comparison[node.operator]} ${mark}`, [value]]
  }
}
