import type { Knex } from 'knex'
import type { Sql } from '../../database/list.filters.ts'
import type { Page } from '../../kernel/page.ts'

/** Fields of the list whose numbers are maintained; see migration 008. */
const maintained = new Set(['status', 'source', 'application.id', 'product', 'product.idGranularity'])

/**
 * SQL of how many passports of the organization a list matches, from maintained counts, or null where only counting
 * rows could tell. Known for no filter and for a single `eq` of one maintained field.
 */
export function passportCount(organization: string, { filters: { value: [only, ...others] } }: Page): Sql | null {
  if (!only) return sumOf(organization, 'all', '', '?')
  if (others.length > 0 || !('field' in only) || only.operator !== 'eq' || !maintained.has(only.field)) return null
  const isId = only.field === 'application.id' || only.field === 'product'
  return sumOf(organization, only.field, only.value, isId ? '?::uuid::text' : '?')
}

const sumOf = (organization: string, dimension: string, value: string | number | null, mark: string): Sql => ({
  sql: `select coalesce(sum(delta), 0)::bigint from passport_counts
    where organization = ? and dimension = ? and value = ${mark}`,
  bindings: [organization, dimension, value],
})

/** Joins what writers appended since the last time. Called by the worker now and then; any number may call at once. */
export async function rollUpPassportCounts(db: Knex): Promise<void> {
  await db.raw('select passport_counts_roll_up()')
}
