import type { Knex } from 'knex'

/**
 * Applications: what an organization shows to its buyers. The slug is unique over all organizations, because it is
 * part of public addresses. Instants have milliseconds, as the API shows them: a filter by a shown value is exact.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table applications (
      id uuid primary key,
      organization uuid not null references organizations,
      name text not null,
      slug text not null constraint applications_slug_unique unique,
      domains text[] not null default '{}',
      website_url text,
      features text[] not null default '{}',
      default_network text not null,
      theme jsonb not null default '{}',
      loyalty_settings jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create index applications_created on applications (organization, created_at desc, id desc);
    create index applications_updated on applications (organization, updated_at desc, id desc);
    create index applications_domains on applications using gin (domains);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table applications')
}
