import { createHash } from 'node:crypto'
import type { AnyQueryBuilder } from 'objection'
import { problem } from '../kernel/problem.ts'
import type { Sorter } from '../kernel/page.ts'
import type { Column, Columns } from './list.ts'

/** One key of an order. */
export interface Key {
  sql: string
  order: 'asc' | 'desc'
  nullable: boolean
}

/** Where a declared field is in SQL. */
export function columnOf(columns: Columns, field: string): Column {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined
  if (!column) throw new Error(`The list declares ${field} but no column answers it`)
  return column
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

export type Where = (builder: AnyQueryBuilder) => void

/** Rows behind the cursor in the lexicographic order of the keys. */
export function after(keys: readonly Key[], values: readonly (string | null)[]): Where {
  const [first] = keys
  const alike = keys.every(({ order, nullable }) => order === first?.order && !nullable)
  if (alike && first) return (builder) => void builder.whereRaw(...asRow(keys, first.order, values))
  return (builder) => {
    // The first key bounds the scan; the rest decides among its equals.
    if (first && !first.nullable)
      void builder.whereRaw(`${first.sql} ${first.order === 'asc' ? '>=' : '<='} ?`, [values[0] ?? null])
    void builder.where((branches: AnyQueryBuilder) =>
      keys.forEach(
        (key, at) =>
          void branches.orWhere((branch: AnyQueryBuilder) => {
            keys.slice(0, at).forEach((equal, index) => void branch.whereRaw(...same(equal, values[index] ?? null)))
            void branch.whereRaw(...beyond(key, values[at] ?? null))
          }),
      ),
    )
  }
}

/** One comparison of rows, which PostgreSQL answers from an index over the keys. */
function asRow(
  keys: readonly Key[],
  order: Key['order'],
  values: readonly (string | null)[],
): [string, (string | null)[]] {
  return [
    `(${keys.map(({ sql }) => sql).join(', ')}) ${order === 'asc' ? '>' : '<'} (${keys.map(() => '?').join(', ')})`,
    [...values],
  ]
}

function same(key: Key, value: string | null): [string, string[]] {
  return value === null ? [`${key.sql} is null`, []] : [`${key.sql} = ?`, [value]]
}

function beyond({ sql, order, nullable }: Key, value: string | null): [string, string[]] {
  if (value === null) return ['false', []]
  return [`(${sql} ${order === 'asc' ? '>' : '<'} ?${nullable ? ` or ${sql} is null` : ''})`, [value]]
}

/** Tells cursors of other orders and other lists apart. */
const fingerprint = (keys: readonly Key[]) =>
  createHash('sha256')
    .update(JSON.stringify(keys.map(({ sql, order }) => [sql, order])))
    .digest('base64url')
    .slice(0, 8)

/** Where to go on behind a row that was read with its keys as `sortKey0`, `sortKey1` and so on. */
export function writeCursor(keys: readonly Key[], row: unknown): string {
  const values = keys.map((_, at) => (row as Record<string, string | null>)[`sortKey${at}`])
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
