import type { Knex } from 'knex'

/**
 * A key may be made for one application: it sees and uses only what belongs to it. A key without an application is the
 * whole organization's. The key goes with its application, because without it the key would be good for everything.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table api_keys add column application uuid references applications on delete cascade;
    create index api_keys_application on api_keys (application) where application is not null`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table api_keys drop column application')
}
