import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { raw, type AnyQueryBuilder, type Model as ObjectionModel, type QueryBuilder } from 'objection'
import { problem } from '../kernel/problem.ts'
import type { Condition, FilterNode, Group, Listed, Page, Sorter } from '../kernel/page.ts'

/** Where a declared field lives in SQL. `sql` is a constant of ours, never a caller's text. */
export interface Column {
  sql: string
  /** `eq` compares without case. The expression should be indexed as `lower(...)`. */
  insensitive?: boolean
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

interface Key { sql: string; order: 'asc' | 'desc' }

/**
 * One page of `query` (which already carries tenancy and relations), by page number or by cursor.
 * Every order ends in the id, so pages never overlap. @throws INVALID_PAGINATION for a cursor of another order.
 */
export async function listPage<M extends ObjectionModel>(
  query: Query<M>, page: Page, columns: Columns, options: ListOptions = {},
): Promise<Listed<M>> {
  const table = query.modelClass().tableName
  const keys = orderOf(page.sorters, columns, options.id ?? `${table}.id`)
  const matching = query.clone()
  applyGroup(matching, page.filters, columns)
  const counted = total(matching.clone(), page, options)
  const rows = await rowsOf(matching, page, keys)
  const hasMore = rows.length > page.pageSize
  const data = rows.slice(0, page.pageSize)
  const last = data.at(-1)
  return {
    data: data as unknown as M[],
    ...(await counted),
    currentPage: page.currentPage,
    pageSize: page.pageSize,
    nextCursor: hasMore && last ? writeCursor(page.sorters, keys.map((_, at) => (last as unknown as Sorted)[`sortKey${at}`])) : null,
  }
}

type Sorted = Record<string, string | null>

/** Adds the conditions of a list to a query: publish takes the filters of the list without its paging. */
export function applyFilters(query: AnyQueryBuilder, page: Page, columns: Columns): void {
  applyGroup(query, page.filters, columns)
}

async function rowsOf<M extends ObjectionModel>(query: Query<M>, page: Page, keys: readonly Key[]): Promise<M[]> {
  const table = query.modelClass().tableName
  if (!query.hasSelects()) query.select(`${table}.*`)
  keys.forEach((key, at) => query.select(raw(`(${key.sql})::text`).as(`sort_key${at}`)))
  for (const key of keys) query.orderByRaw(`${key.sql} ${key.order} nulls last`)
  if (page.cursor !== null) query.where(after(keys, readCursor(page.cursor, page.sorters, keys.length)))
  else query.offset((page.currentPage - 1) * page.pageSize)
  const rows = await query.limit(page.pageSize + 1)
  return rows as unknown as M[]
}

function orderOf(sorters: readonly Sorter[], columns: Columns, id: string): Key[] {
  const asked = sorters.length > 0 ? sorters : [{ field: 'createdAt', order: 'desc' as const }]
  const keys = asked.map(({ field, order }) => ({ sql: columnOf(columns, field).sql, order }))
  if (keys.some((key) => key.sql === id)) return keys
  return [...keys, { sql: id, order: keys.at(-1)?.order ?? 'desc' }]
}

function columnOf(columns: Columns, field: string): Column {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined
  if (!column) throw new Error(`The list declares ${field} but no column answers it`)
  return column
}

type Where = (builder: AnyQueryBuilder) => void

/** Rows behind the cursor in the lexicographic order of the keys; nulls come last in both directions. */
function after(keys: readonly Key[], values: readonly (string | null)[]): Where {
  return (builder) => {
    keys.forEach((key, at) => void builder.orWhere((branch: AnyQueryBuilder) => {
      keys.slice(0, at).forEach((equal, index) => void branch.whereRaw(...same(equal, values[index] ?? null)))
      void branch.whereRaw(...beyond(key, values[at] ?? null))
    }))
  }
}

function same(key: Key, value: string | null): [string, string[]] {
  return value === null ? [`${key.sql} is null`, []] : [`${key.sql} = ?`, [value]]
}

function beyond(key: Key, value: string | null): [string, string[]] {
  if (value === null) return ['false', []]
  return [`(${key.sql} ${key.order === 'asc' ? '>' : '<'} ? or ${key.sql} is null)`, [value]]
}

const fingerprint = (sorters: readonly Sorter[]) =>
  createHash('sha256').update(JSON.stringify(sorters.map((s) => [s.field, s.order]))).digest('base64url').slice(0, 8)

function writeCursor(sorters: readonly Sorter[], values: readonly (string | null | undefined)[]): string {
  return Buffer.from(JSON.stringify([fingerprint(sorters), ...values])).toString('base64url')
}

function readCursor(cursor: string, sorters: readonly Sorter[], length: number): (string | null)[] {
  const refuse = () => problem('INVALID_PAGINATION', 'The cursor does not belong to this order of this list.', { path: 'cursor' })
  let read: unknown
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refuse()
  }
  if (!Array.isArray(read) || read.length !== length + 1 || read[0] !== fingerprint(sorters)) throw refuse()
  const values: unknown[] = read.slice(1)
  if (!values.every((part) => part === null || typeof part === 'string')) throw refuse()
  return values as (string | null)[]
}

async function total<M extends ObjectionModel>(query: Query<M>, page: Page, options: ListOptions) {
  const knex = query.knex()
  const capped = query.clone().clearSelect().clearOrder().select(raw('1')).limit(countedExactly + 1).toKnexQuery()
  const counted = await knex.from((capped as Knex.QueryBuilder).as('matching')).count({ count: '*' })
  const found = Number(counted[0]?.count ?? 0)
  if (found <= countedExactly) return { total: found }
  const maintained = await options.counts?.(page)
  if (maintained !== undefined && maintained !== null) return { total: maintained }
  return { total: Math.max(found, await estimate(knex, query)), totalIsEstimate: true as const }
}

async function estimate<M extends ObjectionModel>(knex: Knex, query: Query<M>): Promise<number> {
  const { sql, bindings } = query.clone().clearSelect().select(raw('1')).toKnexQuery().toSQL().toNative()
  const asked = await knex.client.acquireConnection() as { query(q: unknown): Promise<{ rows: { 'QUERY PLAN': unknown }[] }> }
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
  switch (node.operator) {
    case 'null': return [`${sql} is null`, []]
    case 'nnull': return [`${sql} is not null`, []]
    case 'contains': return [`${sql} ilike ? escape '\\'`, [`%${String(value).replace(/[\\%_]/g, '\\$&')}%`]]
    case 'eq': return insensitive ? [`lower(${sql}) = lower(?)`, [value]] : [`${sql} = ?`, [value]]
    case 'ne': return [`${sql} is distinct from ?`, [value]]
    default: return [`${sql} ${comparison[node.operator]} ?`, [value]]
  }
}
