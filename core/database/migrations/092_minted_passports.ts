import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/** The minted passports of an organization are counted from an index alone, and not from all of its passports. */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, 'passports_minted', 'on passports (organization) where minted_at is not null')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index passports_minted')
}
