import type { Knex } from 'knex'

/** How a fetched source is read where the source itself does not say it, or says it wrong. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table import_mappers add column encoding text, add column delimiter text, add column sheet text')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table import_mappers drop column encoding, drop column delimiter, drop column sheet')
}
