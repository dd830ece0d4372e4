import type { Knex } from 'knex'

/**
 * An attempt that is `empty` only uses its nonce up, because the node does not take the transaction's content. How
 * often that happened to an operation is its `refusals`. A sender is `retired` when its key is not configured any more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table chain_attempts add column empty boolean not null default false;
    alter table chain_operations add column refusals int not null default 0;
    alter table chain_senders add column retired boolean not null default false;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table chain_senders drop column retired;
    alter table chain_operations drop column refusals;
    alter table chain_attempts drop column empty;
  `)
}
