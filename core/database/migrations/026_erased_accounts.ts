import type { Knex } from 'knex'

/**
 * An account whose person was erased has no user any more: its wallet stays, as tokens on a chain are owned by it, under
 * an identifier that says nothing of anybody.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table accounts alter column user_id drop not null')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update passports set minted_to = null where minted_to in (select id from accounts where user_id is null);
    delete from accounts where user_id is null;
    alter table accounts alter column user_id set not null;
  `)
}
