import type { FilterCondition, FilterNode, FilterGroup } from '../../kernel/page.ts'

/** The SQL of a declared field. `sql` is a constant of ours, never a caller's text. */
export interface Column {
  sql: string
  /** `eq` ignores case. The expression should be indexed as `lower(...)`. */
  insensitive?: boolean
  /** All values are in small letters: `eq` ignores case and uses an index of the expression as it is. */
  isLowerCase?: boolean
  /**
   * Makes a condition of the list's table out of one of the other table that the column belongs to. Such a column can be
   * filtered by, not sorted by.
   */
  within?: (condition: string) => string
  /**
   * Some rows have no value; they come last in both directions. A column that is not nullable can be sorted by its
   * index.
   */
  nullable?: boolean
}
export type Columns = Readonly<Record<string, Column>>

/** Returns the column of a declared field. */
export function getColumn(columns: Columns, field: string): Column {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined
  if (!column) throw new Error(`The list declares ${field} but no column answers it`)
  return column
}

/** SQL with a question mark for each bound value, in their order. */
export interface Sql {
  readonly sql: string
  readonly bindings: readonly (string | number | null)[]
}

/** Joins conditions by `and` or `or`, in parentheses. @param parts at least one */
export const joinConditions = (parts: readonly Sql[], connective: 'and' | 'or'): Sql => ({
  sql: parts.length === 1 ? (parts[0]?.sql ?? '') : `(${parts.map(({ sql }) => sql).join(` ${connective} `)})`,
  bindings: parts.flatMap(({ bindings }) => bindings),
})

/** Creates the condition for the filters of a list, or null if it has none. Column texts are ours; values are bound. */
export function createFilterSql(group: FilterGroup, columns: Columns): Sql | null {
  return group.value.length === 0
    ? null
    : joinConditions(
        group.value.map((node) => createNodeSql(node, columns)),
        group.operator,
      )
}

function createNodeSql(node: FilterNode, columns: Columns): Sql {
  if ('field' in node) return createConditionSql(node, getColumn(columns, node.field))
  return createFilterSql(node, columns) ?? { sql: 'true', bindings: [] }
}

const comparisonSigns = { gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

function createConditionSql(node: FilterCondition, column: Column): Sql {
  const comparison = createComparisonSql(node, column)
  return column.within ? { ...comparison, sql: column.within(comparison.sql) } : comparison
}

function createComparisonSql(node: FilterCondition, { sql, insensitive, isLowerCase }: Column): Sql {
  const value = node.value as string | number
  // The cast allows any whole number of JSON to be compared with a smaller integer column.
  const placeholder = typeof value === 'number' ? '?::bigint' : '?'
  switch (node.operator) {
    case 'null':
      return { sql: `${sql} is null`, bindings: [] }
    case 'nnull':
      return { sql: `${sql} is not null`, bindings: [] }
    case 'contains':
      return { sql: `${sql} ilike ? escape '\\'`, bindings: [`%${String(value).replace(/[\\%_]/g, '\\$&')}%`] }
    case 'eq':
      // As the values were made small when they were stored; by PostgreSQL, this would double the time of a short query.
      if (isLowerCase) return { sql: `${sql} = ?`, bindings: [String(value).toLowerCase()] }
      return { sql: insensitive ? `lower(${sql}) = lower(?)` : `${sql} = ${placeholder}`, bindings: [value] }
    case 'ne':
      return { sql: `${sql} is distinct from ${placeholder}`, bindings: [value] }
    default:
      return { sql: `${sql} ${comparisonSigns[node.operator]} ${placeholder}`, bindings: [value] }
  }
}
