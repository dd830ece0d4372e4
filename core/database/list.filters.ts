import type { Condition, FilterNode, Group } from '../kernel/page.ts'
import type { Column, Columns } from './list.ts'

/** Where a declared field is in SQL. */
export function columnOf(columns: Columns, field: string): Column {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined
  if (!column) throw new Error(`The list declares ${field} but no column answers it`)
  return column
}

/** SQL with a question mark for each value that is bound to it, in their order. */
export interface Sql { readonly sql: string; readonly bindings: readonly (string | number | null)[] }

/** All of these, or one of them, in brackets. @param parts at least one */
export const joined = (parts: readonly Sql[], word: 'and' | 'or'): Sql => ({
  sql: parts.length === 1 ? parts[0]?.sql ?? '' : `(${parts.map(({ sql }) => sql).join(` ${word} `)})`,
  bindings: parts.flatMap(({ bindings }) => bindings),
})

/** The conditions of a list; null when it has none. Texts are ours alone, values are bound. */
export function filterSql(group: Group, columns: Columns): Sql | null {
  return group.value.length === 0 ? null : joined(group.value.map((node) => nodeSql(node, columns)), group.operator)
}

function nodeSql(node: FilterNode, columns: Columns): Sql {
  if ('field' in node) return conditionSql(node, columnOf(columns, node.field))
  return filterSql(node, columns) ?? { sql: 'true', bindings: [] }
}

const comparison = { gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

function conditionSql(node: Condition, { sql, insensitive }: Column): Sql {
  const value = node.value as string | number
  // Any whole number of JSON compares with a column of fewer bits.
  const mark = typeof value === 'number' ? '?::bigint' : '?'
  switch (node.operator) {
    case 'null':
      return { sql: `${sql} is null`, bindings: [] }
    case 'nnull':
      return { sql: `${sql} is not null`, bindings: [] }
    case 'contains':
      return { sql: `${sql} ilike ? escape '\\'`, bindings: [`%${String(value).replace(/[\\%_]/g, '\\$&')}%`] }
    case 'eq':
      return { sql: insensitive ? `lower(${sql}) = lower(?)` : `${sql} = ${mark}`, bindings: [value] }
    case 'ne':
      return { sql: `${sql} is distinct from ${mark}`, bindings: [value] }
    default:
      return { sql: `${sql} ${comparison[node.operator]} ${mark}`, bindings: [value] }
  }
}
