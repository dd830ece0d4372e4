import type { Knex } from 'knex'
import type { Page } from '../../kernel/page.ts'

/** Fields of the list whose numbers are maintained; see migration 008. */
const maintained = new Set(['status', 'source', 'application.id', 'product', 'product.idGranularity'])

/**
 * How many passports of the organization a list matches, from maintained counts, or null where only counting rows
 * could tell. Known for no filter and for a single `eq` of one maintained field.
 */
export function passportCounts(db: Knex, organization: string) {
  return async ({ filters }: Pick<Page, 'filters'>): Promise<number | null> => {
    const [only, ...others] = filters.value
    if (!only) return sum(db, organization, 'all', '')
    if (others.length > 0 || !('field' in only) || only.operator !== 'eq' || !maintained.has(only.field)) return null
    return sum(db, organization, only.field, String(only.value))
  }
}

async function sum(db: Knex, organization: string, dimension: string, value: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: string }[] }>(
    `select coalesce(sum(delta), 0)::bigint as count from passport_counts
     where organization = ? and dimension = ? and value = ?`,
    [organization, dimension, value])
  return Number(rows[0]?.count ?? 0)
}

/** Joins what writers appended since the last time. Called by the worker now and then; any number may call at once. */
export async function rollUpPassportCounts(db: Knex): Promise<void> {
  await db.raw('select passport_counts_roll_up()')
}
