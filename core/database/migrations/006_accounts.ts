import type { Knex } from 'knex'

/**
 * A person as an application knows them: one wallet on one network. What a person tells of themselves stays here and
 * is not shared between applications. A session of an end user keeps the account it was opened with.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table accounts (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      application uuid not null references applications,
      network text not null,
      address text not null,
      user_id uuid not null references users,
      name text,
      birth_date date,
      locale text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (application, network, user_id),
      unique (network, address)
    );
    create index accounts_organization on accounts (organization, created_at desc, id desc);
    create index accounts_user_id on accounts (user_id);
    alter table sessions add foreign key (application) references applications on delete cascade;
    alter table sessions add column account uuid references accounts on delete cascade;
    create index sessions_application on sessions (application);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions drop column account;
    alter table sessions drop constraint sessions_application_fkey;
    drop index sessions_application;
    drop table accounts
  `)
}
