import type { Knex } from 'knex'

/**
 * Credentials of passports: one row a version, with the bytes of both secured forms as they are served, and the root
 * that anchors it. `passports.credential` names the version that is served: the newest one that is anchored. A row
 * without bytes belongs to a certificate that its organization hosts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table credential_contexts (
      sha256 text primary key,
      body text not null,
      created_at timestamptz(3) not null default now()
    );

    -- Status lists come in pairs: a credential has the same index in both.
    create table status_lists (
      id uuid primary key,
      pair uuid not null,
      organization uuid not null,
      purpose text not null check (purpose in ('revocation', 'suspension')),
      seed bytea not null,
      taken int not null default 0,
      bits bytea not null,
      version int not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (pair, purpose)
    );
    create index status_lists_organization on status_lists (organization, created_at);

    create table anchors (
      id uuid primary key,
      job uuid not null,
      organization uuid not null,
      network text not null,
      part int not null,
      root text not null,
      leaves int not null,
      status text not null default 'queued' check (status in ('queued', 'final', 'failed')),
      contract text,
      transaction_hash text,
      block_number bigint,
      reason text,
      anchored_at timestamptz,
      created_at timestamptz(3) not null default now(),
      unique (job, network, part)
    );

    create table passport_credentials (
      id uuid primary key,
      passport uuid not null references passports on delete cascade,
      organization uuid not null,
      version int not null,
      job uuid not null,
      line int not null,
      network text not null,
      content_hash text not null,
      -- Null where the organization hosts the certificate itself.
      key uuid references certification_keys,
      valid_from timestamptz not null,
      status_pair uuid,
      status_index int,
      ld bytea,
      jwt bytea,
      cid text,
      anchor uuid references anchors,
      -- Hashes of 32 bytes, from the leaf's sibling up.
      proof bytea,
      -- Whether the passport knows what became of it.
      settled boolean not null default false,
      created_at timestamptz(3) not null default now(),
      unique (passport, version),
      unique (job, passport)
    );
    create index passport_credentials_loose on passport_credentials (job, network, passport) where anchor is null;
    create index passport_credentials_unsettled on passport_credentials (anchor, passport) where anchor is not null and not settled;
    create unique index passport_credentials_status on passport_credentials (status_pair, status_index) where status_pair is not null;

    -- No reference: a version goes with its passport only, and each one that goes would look through all passports.
    alter table passports add column credential uuid;

    -- Of both kinds of jobs. A unit that was published goes on to be certified.
    alter table publish_units rename to passport_units;
    alter table passport_units add column step text not null default 'publish' check (step in ('publish', 'certify'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table passport_units drop column step;
    alter table passport_units rename to publish_units;
    alter table passports drop column credential;
    drop table passport_credentials, anchors, status_lists, credential_contexts;
  `)
}
