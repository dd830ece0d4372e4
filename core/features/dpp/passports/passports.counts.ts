import type { Knex } from 'knex'
import type { DirectDatabase, Statement } from '../../../database/connection.ts'
import type { Sql } from '../../../database/list/index.ts'
import type { FilterCondition, FilterNode, PageRequest } from '../../../kernel/page.ts'
import { passportStatuses, type PassportStatus } from './passports.schema.ts'

/** The fields of the list for which counts are maintained; see migrations 008 and 093. */
const maintainedFields = new Set(['status', 'source', 'application.id', 'product', 'product.idGranularity'])

/**
 * Creates the SQL that counts from maintained counts how many passports of the organization a list matches. Maintained
 * counts exist for no filter, for a single `eq` of one maintained field, and for a product with a status; null for other
 * filters, where rows have to be counted.
 */
export function createPassportCountSql(organization: string, { filters }: PageRequest): Sql | null {
  const [first, second, ...others] = filters.value
  if (!first) return createSumSql(organization, 'all', { sql: '?', bindings: [''] })
  if (others.length > 0 || (second && filters.operator !== 'and')) return null
  const [only, also] = [getEqualValue(first), second && getEqualValue(second)]
  if (only === null || also === null) return null
  if (also === undefined)
    return maintainedFields.has(only.field) ? createSumSql(organization, only.field, createValueSql(only)) : null
  const product = [only, also].find(({ field }) => field === 'product')
  const status = [only, also].find(({ field }) => field === 'status')
  if (!product || !status) return null
  const value = { sql: `?::uuid::text || ' ' || ?::text`, bindings: [product.value, status.value] }
  return createSumSql(organization, 'product.status', value)
}

/** Returns the field and the value of a filter that is a single `eq`; null for any other. */
const getEqualValue = (node: FilterNode): FilterCondition | null =>
  'field' in node && node.operator === 'eq' ? node : null

const createValueSql = ({ field, value }: FilterCondition): Sql => ({
  sql: field === 'application.id' || field === 'product' ? '?::uuid::text' : '?',
  bindings: [value],
})

const createSumSql = (organization: string, dimension: string, value: Sql): Sql => ({
  sql: `select coalesce(sum(delta), 0)::bigint from passport_counts
    where organization = ? and dimension = ? and value = ${value.sql}`,
  bindings: [organization, dimension, ...value.bindings],
})

const statusStatement: Statement = {
  name: 'passports_by_status',
  text: `select given.status, (select coalesce(sum(delta), 0)::bigint from passport_counts
      where organization = $1 and dimension = $2 and value = $3 || given.status) as count
    from unnest($4::text[]) as given (status)`,
}

/**
 * Counts the passports of an organization, or of one of its applications, by their status, from maintained counts.
 */
export async function countPassportsByStatus(
  direct: DirectDatabase,
  { organization, application }: { organization: string; application: string | null },
): Promise<Record<PassportStatus, number>> {
  const [dimension, prefix] = application === null ? ['status', ''] : ['application.status', `${application} `]
  const rows = await direct.queryRows<{ status: PassportStatus; count: number }>(statusStatement, [
    organization,
    dimension,
    prefix,
    passportStatuses,
  ])
  return Object.fromEntries(rows.map(({ status, count }) => [status, count])) as Record<PassportStatus, number>
}

/**
 * Merges the count changes that writers have appended since the last call. The worker calls this at intervals;
 * concurrent calls are allowed.
 */
export async function rollUpPassportCounts(db: Knex): Promise<void> {
  await db.raw('select passport_counts_roll_up()')
}
