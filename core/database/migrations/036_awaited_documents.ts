import type { Knex } from 'knex'

/**
 * The key that takes the place of a revoked one is active at once, as one always is; under did:web it signs nothing
 * until the published document has it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table certification_keys add column awaits_document boolean not null default false')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table certification_keys drop column awaits_document')
}
