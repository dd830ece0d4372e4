import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * The index of an organization's failed jobs gets a name of its own: it shared the name of the older one that migration
 * 045 drops. Where 045 comes last, the older one is still there, and is left to it.
 */
export const transaction = false

const name = 'jobs_failed_of_organization'
const columns = '(organization, updated_at, id)'

export async function up(knex: Knex): Promise<void> {
  if (await hasIndex(knex, name)) return
  if (await hasIndex(knex, 'jobs_failed')) await knex.raw(`alter index jobs_failed rename to ${name}`)
  else await buildIndexConcurrently(knex, name, `on jobs ${columns} where status = 'failed'`)
}

/** Whether there is a valid index of this name and of these columns. */
async function hasIndex(knex: Knex, index: string): Promise<boolean> {
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `select from pg_index
     where indexrelid = to_regclass(?) and indisvalid and position(? in pg_get_indexdef(indexrelid)) > 0`,
    [index, columns],
  )
  return rowCount > 0
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter index ${name} rename to jobs_failed`)
}
