import type { Knex } from 'knex'
import type { Sql } from '../../../database/list/index.ts'
import type { PageRequest } from '../../../kernel/page.ts'
import { passportStatuses, type PassportStatus } from './passports.schema.ts'

/** The fields of the list for which counts are maintained; see migration 008. */
const maintainedFields = new Set(['status', 'source', 'application.id', 'product', 'product.idGranularity'])

/**
 * Creates the SQL that counts from maintained counts how many passports of the organization a list matches. Maintained
 * counts exist for no filter and for a single `eq` of one maintained field; null for other filters, where rows have to
 * be counted.
 */
export function createPassportCountSql(
  organization: string,
  {
    filters: {
      value: [only, ...others],
    },
  }: PageRequest,
): Sql | null {
  if (!only) return createSumSql(organization, 'all', '', '?')
  if (others.length > 0 || !('field' in only) || only.operator !== 'eq' || !maintainedFields.has(only.field))
    return null
  const isId = only.field === 'application.id' || only.field === 'product'
  return createSumSql(organization, only.field, only.value, isId ? '?::uuid::text' : '?')
}

const createSumSql = (organization: string, dimension: string, value: string | number | null, mark: string): Sql => ({
  sql: `select coalesce(sum(delta), 0)::bigint from passport_counts
    where organization = ? and dimension = ? and value = ${mark}`,
  bindings: [organization, dimension, value],
})

/**
 * Counts the passports of an organization, or of one of its applications, by their status, from maintained
 * counts.
 */
export async function countPassportsByStatus(
  db: Knex,
  { organization, application }: { organization: string; application: string | null },
): Promise<Record<PassportStatus, number>> {
  const [dimension, prefix] = application === null ? ['status', ''] : ['application.status', `${application} `]
  const { rows } = await db.raw<{ rows: { status: PassportStatus; count: number }[] }>(
    `select given.status, (select coalesce(sum(delta), 0)::bigint from passport_counts
       where organization = ? and dimension = ? and value = ? || given.status) as count
     from unnest(?::text[]) as given (status)`,
    [organization, dimension, prefix, passportStatuses] as Knex.RawBinding[],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count])) as Record<PassportStatus, number>
}

/**
 * Merges the count changes that writers have appended since the last call. The worker calls this at intervals;
 * concurrent calls are allowed.
 */
export async function rollUpPassportCounts(db: Knex): Promise<void> {
  await db.raw('select passport_counts_roll_up()')
}
