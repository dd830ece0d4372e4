import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'

/**
 * Domains that applications name, each with what is known of its proof. Domains that were named before there were
 * proofs wait for theirs: until then they count nowhere.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What an application publishes to prove its domains: 32 random bytes.
    create table domain_secrets (
      application uuid primary key references applications on delete cascade,
      value bytea not null check (octet_length(value) = 32)
    );

    create table application_domains (
      id uuid primary key,
      organization uuid not null,
      application uuid not null references applications on delete cascade,
      -- In ASCII and small letters; a wildcard begins with an asterisk and a dot.
      domain text not null,
      status text not null default 'pending' check (status in ('pending', 'proven', 'failed', 'lost')),
      reason text,
      -- Since when the proof has been there, and how it was found. Kept when the domain is removed or lost, so that
      -- a proof that was there all the time is never taken for a newer one.
      proven_at timestamptz(3),
      method text check (method in ('dns', 'file')),
      missing_since timestamptz(3),
      checked_at timestamptz(3),
      next_check_at timestamptz(3) not null default now(),
      -- A process is checking it; when that dies, another one takes over after this moment.
      checking_until timestamptz(3),
      -- When the application stopped naming it.
      removed_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (application, domain)
    );
    create index application_domains_proven on application_domains (domain) where status = 'proven';
    create index application_domains_shown on application_domains (organization, proven_at) where status = 'proven';
    create index application_domains_due on application_domains (next_check_at) where removed_at is null;
    create index application_domains_checking on application_domains (organization) where checking_until is not null;

    -- When an organization had a domain checked, for the limit by the hour.
    create table domain_checks (
      organization uuid not null,
      domain text not null,
      checked_at timestamptz(3) not null default now()
    );
    create index domain_checks_domain on domain_checks (organization, domain, checked_at);
    create index domain_checks_age on domain_checks (checked_at);

    drop index applications_domains;
    insert into application_domains (id, organization, application, domain, created_at)
    select gen_random_uuid(), a.organization, a.id, d.domain, a.created_at
    from applications a cross join lateral (select distinct lower(unnest(a.domains)) as domain) d;
  `)
  const applications = await knex('application_domains').distinct<{ application: string }[]>('application')
  for (const { application } of applications) {
    await knex('domain_secrets').insert({ application, value: randomBytes(32) })
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table domain_checks, application_domains, domain_secrets;
    create index applications_domains on applications using gin (domains);
  `)
}
