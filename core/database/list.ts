import type { Knex } from 'knex'
import { raw, type AnyQueryBuilder, type Model as ObjectionModel, type QueryBuilder } from 'objection'
import type { Listed, Page } from '../kernel/page.ts'
import { isCanceled } from './connection.ts'
import { filterSql, type Sql } from './list.filters.ts'
import { bornOut, totalOf, type Total } from './list.total.ts'
import {
  after,
  orderOf,
  orderSql,
  readCursor,
  refusedCursor,
  writeCursor,
  type Key,
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
  /** Table-qualified id column; `id` of the model's table unless stated. */
  id?: string
}

type Query<M extends ObjectionModel> = QueryBuilder<M, M[]>

/** From this row on a page is found by its ids first, so that the rows before it are read from the index alone. */
export const deep = 1_000

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
  applyFilters(matching, page, columns)
  const count = () => total(matching.clone())
  const read = () => rowsOf(matching.clone(), page, keys, id)
  // A transaction has one connection only.
  const [counted, rows] = query.knex().isTransaction
    ? [await count(), await read()]
    : await Promise.all([count(), read()])
  const hasMore = rows.length > page.pageSize
  const data = rows.slice(0, page.pageSize)
  const last = data.at(-1)
  const shown = { offset: (page.currentPage - 1) * page.pageSize, rows: data.length, hasMore }
  return {
    data: data as unknown as M[],
    ...(page.cursor === null ? bornOut(counted, shown) : counted),
    currentPage: page.currentPage,
    pageSize: page.pageSize,
    nextCursor: hasMore && last ? writeCursor(keys, last) : null,
  }
}

/** Adds the conditions of a list to a query: publish takes the filters of the list without its paging. */
export function applyFilters(query: AnyQueryBuilder, page: Page, columns: Columns): void {
  const filters = filterSql(page.filters, columns)
  if (filters) restrict(query, filters)
}

const restrict = (query: AnyQueryBuilder, { sql, bindings }: Sql) => void query.whereRaw(sql, [...bindings])

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
  restrict(query, after(keys, readCursor(page.cursor ?? '', keys)))
  try {
    return (await query) as unknown as M[]
  } catch (error) {
    const { code, nativeError } = error as { code?: string; nativeError?: { code?: string } }
    if ((nativeError?.code ?? code ?? '').startsWith('22')) throw refusedCursor()
    throw error
  }
}

function total<M extends ObjectionModel>(query: Query<M>): Promise<Total> {
  const knex = query.knex()
  const count = async (db: Knex, limit: number) => {
    const capped = query.clone().clearSelect().clearOrder().select(raw('1')).limit(limit).toKnexQuery()
    const counted = await db.from((capped as Knex.QueryBuilder).as('matching')).count({ count: '*' })
    return Number(counted[0]?.count ?? 0)
  }
  const countWithin = (limit: number, milliseconds: number) => knex.transaction(async (trx) => {
    await trx.raw(`set local statement_timeout = ${milliseconds}`)
    return count(trx, limit)
  }, { readOnly: true }).catch((cause: unknown) => {
    if (isCanceled((cause as { nativeError?: unknown }).nativeError ?? cause)) return null
    throw cause
  })
  return totalOf({
    count: (limit) => count(knex, limit),
    // A statement that is ended ends the transaction that it is in.
    ...(!knex.isTransaction && { countWithin }),
    estimate: () => estimate(knex, query),
  })
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
