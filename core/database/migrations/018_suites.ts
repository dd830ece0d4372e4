import type { Knex } from 'knex'

/** Credentials that are also secured by a proof over their RDF, where an organization wants that. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Cryptosuites of the embedded proofs beyond eddsa-jcs-2022, which every certified passport has.
    create table certification_settings (
      organization uuid primary key,
      cryptosuites text[] not null default '{}',
      updated_at timestamptz(3) not null default now()
    );
    -- Without bytes where none can be made of the content.
    alter table passport_credentials add column rdfc bytea;
    -- Of contexts of others: where each was fetched, so that nobody waits for its host when credentials are expanded.
    alter table credential_contexts add column address text unique;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table credential_contexts drop column address;
    alter table passport_credentials drop column rdfc;
    drop table certification_settings;
  `)
}
