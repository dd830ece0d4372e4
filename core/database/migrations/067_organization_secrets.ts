import type { Knex } from 'knex'

/** Secrets of organizations that no answer has, sealed. They go with the organization. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table organization_secrets (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      name text not null check (name in ('auth0ClientSecret')),
      sealed bytea not null,
      created_at timestamptz(3) not null default now(),
      unique (organization, name)
    )`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table organization_secrets')
}
