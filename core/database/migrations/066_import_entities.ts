import type { Knex } from 'knex'

/** What the rows of a mapper become. Imports have said so from the beginning. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table import_mappers add column entity_name text not null default 'DppPassport'`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table import_mappers drop column entity_name')
}
