import type { Knex } from 'knex'

/** The process whose request holds a key: when it is known dead, nobody waits for the end of its lease. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table idempotency add column process integer')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table idempotency drop column process')
}
