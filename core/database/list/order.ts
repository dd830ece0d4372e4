import type { Sorter } from '../../kernel/page.ts'
import { getColumn, joinConditions, type Column, type Columns, type Sql } from './filters.ts'

export interface SortKey {
  sql: string
  order: 'asc' | 'desc'
  nullable: boolean
}

/** Creates the sort keys of an order. The id is always among them, as the last key unless the caller sorts by it. */
export function createSortKeys(sorters: readonly Sorter[], columns: Columns, id: string): SortKey[] {
  const requestedSorters = sorters.length > 0 ? sorters : [{ field: 'createdAt', order: 'desc' as const }]
  const keys = requestedSorters.map(({ field, order }) => createSortKey(getColumn(columns, field), order))
  if (keys.some((key) => key.sql === id)) return keys
  return [...keys, createSortKey({ sql: id }, keys.at(-1)?.order ?? 'desc')]
}

const createSortKey = ({ sql, nullable = false }: Column, order: SortKey['order']): SortKey => ({
  sql,
  order,
  nullable,
})

export const createOrderSql = ({ sql, order, nullable }: SortKey) => `${sql} ${order}${nullable ? ' nulls last' : ''}`

/** Creates the condition for rows after the cursor, in the lexicographic order of the keys. */
export function createAfterSql(keys: readonly SortKey[], values: readonly (string | null)[]): Sql {
  const [first] = keys
  if (first && keys.every(({ order, nullable }) => order === first.order && !nullable)) {
    return createRowComparison(keys, first.order, values)
  }
  const behind = joinConditions(
    keys.map((key, at) =>
      joinConditions(
        [
          ...keys.slice(0, at).map((equal, index) => createEqualSql(equal, values[index] ?? null)),
          createBeyondSql(key, values[at] ?? null),
        ],
        'and',
      ),
    ),
    'or',
  )
  if (!first || first.nullable) return behind
  // The first key limits the scan; the other keys decide among rows with the same first key.
  const bound = { sql: `${first.sql} ${first.order === 'asc' ? '>=' : '<='} ?`, bindings: [values[0] ?? null] }
  return joinConditions([bound, behind], 'and')
}

/** Creates a single row comparison, which PostgreSQL can answer from an index over the keys. */
function createRowComparison(
  keys: readonly SortKey[],
  order: SortKey['order'],
  values: readonly (string | null)[],
): Sql {
  const columns = keys.map(({ sql }) => sql).join(', ')
  return { sql: `(${columns}) ${order === 'asc' ? '>' : '<'} (${keys.map(() => '?').join(', ')})`, bindings: values }
}

function createEqualSql({ sql }: SortKey, value: string | null): Sql {
  return value === null ? { sql: `${sql} is null`, bindings: [] } : { sql: `${sql} = ?`, bindings: [value] }
}

function createBeyondSql({ sql, order, nullable }: SortKey, value: string | null): Sql {
  if (value === null) return { sql: 'false', bindings: [] }
  const further = `${sql} ${order === 'asc' ? '>' : '<'} ?`
  return { sql: nullable ? `(${further} or ${sql} is null)` : further, bindings: [value] }
}
