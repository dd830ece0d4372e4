import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * A passport knows the import that made it, so that what one file has made can be listed and published. The equal keys of
 * one import take next to no room in the index.
 */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table passports add column if not exists import_job uuid')
  await buildIndexConcurrently(knex, 'passports_of_import', 'on passports (import_job) where import_job is not null')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index passports_of_import')
  await knex.raw('alter table passports drop column import_job')
}
