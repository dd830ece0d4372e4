import type { Knex } from 'knex'

/**
 * Keys that organizations sign credentials with. Exactly one of an organization is active; `sealed` is the private key
 * under the key encryption key. A registration is what a network's registry knows of a key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table certification_keys (
      id uuid primary key,
      organization uuid not null,
      public_key bytea not null unique check (length(public_key) = 32),
      sealed bytea not null,
      status text not null check (status in ('active', 'pending', 'rotated', 'revoked')),
      created_at timestamptz(3) not null default now(),
      rotated_at timestamptz(3),
      revoked_at timestamptz(3),
      revoked_reason text,
      compromised_at timestamptz(3)
    );
    create unique index certification_keys_active on certification_keys (organization) where status = 'active';
    create unique index certification_keys_pending on certification_keys (organization) where status = 'pending';
    create index certification_keys_organization on certification_keys (organization, created_at);

    create table certification_key_registrations (
      key uuid not null references certification_keys,
      network text not null,
      status text not null default 'pending' check (status in ('pending', 'registered', 'failed')),
      transaction_hash text,
      revocation text check (revocation in ('pending', 'final', 'failed')),
      revocation_hash text,
      created_at timestamptz(3) not null default now(),
      primary key (key, network)
    );

    create table did_web_domains (
      organization uuid primary key,
      domain text not null unique,
      last_check jsonb,
      updated_at timestamptz(3) not null default now()
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table did_web_domains, certification_key_registrations, certification_keys')
}
