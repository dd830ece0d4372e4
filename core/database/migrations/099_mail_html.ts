import type { Knex } from 'knex'

/** The HTML of a mail stands beside its text; null for text messages and, like the text, for what has left. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table messages add column html text')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table messages drop column html')
}
