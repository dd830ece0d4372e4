import { hash } from 'node:crypto'
import { problem } from '../kernel/problem.ts'
import type { Sorter } from '../kernel/page.ts'
import { columnOf, joined, type Sql } from './list.filters.ts'
import type { Column, Columns } from './list.ts'

/** One key of an order. */
export interface Key {
  sql: string
  order: 'asc' | 'desc'
  nullable: boolean
}

/** The keys of an order. It always ends in the id. */
export function orderOf(sorters: readonly Sorter[], columns: Columns, id: string): Key[] {
  const asked = sorters.length > 0 ? sorters : [{ field: 'createdAt', order: 'desc' as const }]
  const keys = asked.map(({ field, order }) => keyOf(columnOf(columns, field), order))
  if (keys.some((key) => key.sql === id)) return keys
  return [...keys, keyOf({ sql: id }, keys.at(-1)?.order ?? 'desc')]
}

const keyOf = ({ sql, nullable = false }: Column, order: Key['order']): Key => ({ sql, order, nullable })

export const orderSql = ({ sql, order, nullable }: Key) => `${sql} ${order}${nullable ? ' nulls last' : ''}`

export const refusedCursor = () =>
  problem('INVALID_PAGINATION', 'The cursor does not belong to this order of this list.', { path: 'cursor' })

/** Rows behind the cursor in the lexicographic order of the keys. */
export function after(keys: readonly Key[], values: readonly (string | null)[]): Sql {
  const [first] = keys
  if (first && keys.every(({ order, nullable }) => order === first.order && !nullable)) {
    return asRow(keys, first.order, values)
  }
  const behind = joined(keys.map((key, at) => joined([
    ...keys.slice(0, at).map((equal, index) => same(equal, values[index] ?? null)),
    beyond(key, values[at] ?? null),
  ], 'and')), 'or')
  if (!first || first.nullable) return behind
  // The first key bounds the scan; the rest decides among its equals.
  const bound = { sql: `${first.sql} ${first.order === 'asc' ? '>=' : '<='} ?`, bindings: [values[0] ?? null] }
  return joined([bound, behind], 'and')
}

/** One comparison of rows, which PostgreSQL answers from an index over the keys. */
function asRow(keys: readonly Key[], order: Key['order'], values: readonly (string | null)[]): Sql {
  const columns = keys.map(({ sql }) => sql).join(', ')
  return { sql: `(${columns}) ${order === 'asc' ? '>' : '<'} (${keys.map(() => '?').join(', ')})`, bindings: values }
}

function same({ sql }: Key, value: string | null): Sql {
  return value === null ? { sql: `${sql} is null`, bindings: [] } : { sql: `${sql} = ?`, bindings: [value] }
}

function beyond({ sql, order, nullable }: Key, value: string | null): Sql {
  if (value === null) return { sql: 'false', bindings: [] }
  const further = `${sql} ${order === 'asc' ? '>' : '<'} ?`
  return { sql: nullable ? `(${further} or ${sql} is null)` : further, bindings: [value] }
}

/** Tells cursors of other orders and other lists apart. */
const fingerprint = (keys: readonly Key[]) =>
  hash('sha256', JSON.stringify(keys.map(({ sql, order }) => [sql, order])), 'base64url').slice(0, 8)

/** Where to go on behind a row that was read with its keys as `sortKey0`, `sortKey1` and so on. */
export function writeCursor(keys: readonly Key[], row: unknown): string {
  return writeCursorOf(keys, keys.map((_, at) => (row as Record<string, string | null>)[`sortKey${at}`] ?? null))
}

/** Where to go on behind a row with these values of its keys. */
export function writeCursorOf(keys: readonly Key[], values: readonly (string | null)[]): string {
  return Buffer.from(JSON.stringify([fingerprint(keys), ...values])).toString('base64url')
}

/** The values of a cursor. @throws INVALID_PAGINATION for one of another order or list */
export function readCursor(cursor: string, keys: readonly Key[]): (string | null)[] {
  let read: unknown
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refusedCursor()
  }
  if (!Array.isArray(read) || read.length !== keys.length + 1 || read[0] !== fingerprint(keys)) throw refusedCursor()
  const values: unknown[] = read.slice(1)
  if (!values.every((part) => part === null || typeof part === 'string')) throw refusedCursor()
  return values as (string | null)[]
}
