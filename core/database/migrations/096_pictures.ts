import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * Pictures of products and logos, fetched once for each organization and address and kept in sizes for pages. A row is
 * also the task to fetch it: `next_fetch_at` says when, and is null while there is nothing to do. `picture_forms` has the
 * sizes, `passport_cards` the pictures that other sites show of a link to a passport. The index lists public models for
 * the sitemap, of all applications or of one.
 */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists pictures (
      id uuid primary key,
      organization uuid not null,
      address text not null,
      -- SHA-256 of the address, which may be longer than an index takes.
      address_hash bytea not null check (length(address_hash) = 32),
      -- SHA-256 of what was fetched, by which it is known again; null until something was.
      source_hash bytea check (length(source_hash) = 32),
      -- Bytes of all sizes together.
      bytes int not null default 0,
      fetched_at timestamptz(3),
      failures int not null default 0,
      -- Why it could not be fetched last; null if it could.
      failure text,
      next_fetch_at timestamptz(3) default now(),
      -- The worker that fetches it has it until then.
      fetching_until timestamptz(3),
      -- When a page or a publication named it last, to about a day.
      named_at timestamptz(3) not null default now(),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (organization, address_hash)
    );
    create index if not exists pictures_due on pictures (next_fetch_at) where next_fetch_at is not null;
    create index if not exists pictures_fetching on pictures (organization, fetching_until) where fetching_until is not null;
    create index if not exists pictures_named on pictures (named_at);

    create table if not exists picture_forms (
      picture uuid not null references pictures on delete cascade,
      width int not null check (width > 0),
      height int not null check (height > 0),
      hash bytea not null check (length(hash) = 32),
      body bytea not null,
      primary key (picture, width)
    );
    -- Pictures are compressed already.
    alter table picture_forms alter column body set storage external;

    create table if not exists passport_cards (
      id uuid primary key,
      organization uuid not null,
      -- SHA-256 of everything that the card shows.
      content_hash bytea not null check (length(content_hash) = 32),
      body bytea not null,
      -- When it was asked for last, to about a day.
      used_at timestamptz(3) not null default now(),
      unique (organization, content_hash)
    );
    create index if not exists passport_cards_used on passport_cards (organization, used_at);
    create index if not exists passport_cards_old on passport_cards (used_at);
    alter table passport_cards alter column body set storage external`)
  await buildIndexConcurrently(
    knex,
    'passports_public_models',
    `on passports (application, id) include (updated_at)
     where status = 'published' and product ->> 'idGranularity' = 'model'`,
  )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index passports_public_models;
    drop table passport_cards;
    drop table picture_forms;
    drop table pictures`)
}
