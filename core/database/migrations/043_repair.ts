import type { Knex } from 'knex'

/**
 * Seven times a migration was edited after it had landed, until their checksums were kept. Databases that were made in
 * between get here what the later text has; it goes before what else they lack, as later migrations build on it. Each
 * part looks first whether there is something to do, so on other databases nothing happens.
 */
export const repairs = true

export async function up(knex: Knex): Promise<void> {
  await knex.raw(queue)
  await knex.raw(events)
  await knex.raw(passports)
  await knex.raw(counts)
  await knex.raw(credentials)
  await knex.raw(imports)
  await knex.raw(uploads)
  await knex.raw(lists)
  await knex.raw(gtins)
}

/** What was repaired is what the migrations before say. */
export async function down(): Promise<void> {}

/** 003: an index by worker, whose name a later migration gives to another one. */
const queue = `
  do $$ begin
    if exists (select from pg_attribute where attrelid = to_regclass('jobs_leased') and attname = 'lease_worker') then
      drop index jobs_leased;
    end if;
  end $$;
`

/** 004: the index by kind. Its parts have the names that they get with a month. */
const events = `
  do $$ begin
    if to_regclass('events') is not null and to_regclass('events_kind') is null then
      create index events_kind on events (organization, subject, type, created_at desc, id desc);
    end if;
  end $$;
`

/** 008: indexes of lists by claim address and by job. */
const passports = `
  do $$ begin
    if to_regclass('passports') is not null and to_regclass('passports_structure_job') is null then
      drop index passports_claim_email;
      create index passports_claim_email on passports
        (organization, lower(allowed_claim_email), created_at desc, id desc) where allowed_claim_email is not null;
      create index passports_structure_job on passports (organization, structure_job_status, created_at desc, id desc)
        where structure_job_status is not null;
      create index passports_certify_job on passports (organization, certify_job_status, created_at desc, id desc)
        where certify_job_status is not null;
    end if;
  end $$;
`

/** 008: lines of two functions were broken elsewhere. */
const counts = `
  do $$ begin
    if to_regclass('passport_counts') is not null then
      execute replace(replace(pg_get_functiondef('passports_counted'::regproc),
        'as granularity, 1 as delta from made', E'as granularity, 1 as delta\\n          from made'),
        ') as moved, passport_count_keys', E') as moved,\\n          passport_count_keys');
      execute replace(pg_get_functiondef('passport_counts_roll_up'::regproc),
        'insert into passport_counts select organization, dimension, value, sum(delta) from gone group',
        E'insert into passport_counts\\n        select organization, dimension, value, sum(delta) from gone group');
    end if;
  end $$;
`

/** 013: a reference that made every credential that goes look through all passports. */
const credentials = 'alter table if exists passports drop constraint if exists passports_credential_fkey;'

/** 016: the lines of a slice, in front of the columns that were last. */
const imports = `
  do $$ begin
    if to_regclass('imports') is not null and not exists (
      select from pg_attribute where attrelid = to_regclass('imports') and attname = 'line_from'
    ) then
      alter table imports alter column created_at drop not null;
      alter table imports rename column finished_at to old_finished_at;
      alter table imports rename column created_at to old_created_at;
      alter table imports add column line_from int, add column line_to int, add column finished_at timestamptz(3),
        add column created_at timestamptz(3) not null default now();
      update imports set finished_at = old_finished_at, created_at = old_created_at;
      alter table imports drop column old_finished_at, drop column old_created_at;
      drop index if exists imports_one_run, imports_going_on;
      create unique index imports_one_run on imports (mapper) where run and finished_at is null;
      create index imports_going_on on imports (mapper) where name = 'batch' and finished_at is null;
      create index imports_created on imports (organization, created_at desc, job desc);
      create index imports_name on imports (organization, name, created_at desc, job desc);
      create index imports_parent on imports (parent, created_at desc, job desc) where parent is not null;
    end if;
  end $$;
`

/** 016: what was decided about an upload, in front of its instant, and an index by organization. */
const uploads = `
  do $$ begin
    if to_regclass('import_uploads') is not null and not exists (
      select from pg_attribute where attrelid = to_regclass('import_uploads') and attname = 'draft'
    ) then
      alter table import_uploads alter column created_at drop not null;
      alter table import_uploads rename column created_at to old_created_at;
      alter table import_uploads add column draft jsonb, add column created_at timestamptz(3) not null default now();
      update import_uploads set created_at = old_created_at;
      alter table import_uploads drop column old_created_at;
    end if;
    if to_regclass('import_uploads') is not null then
      create index if not exists import_uploads_organization on import_uploads (organization);
    end if;
  end $$;
`

/** 017: who issued a status list, and with which key. Those that are there have the issuer of the first credential in them. */
const lists = `
  do $$ begin
    if to_regclass('status_changes') is not null and not exists (
      select from pg_attribute where attrelid = to_regclass('status_lists') and attname = 'issuer'
    ) then
      alter table status_lists add column issuer text, add column key uuid;
      update status_lists l set issuer = c.issuer, key = c.key
      from (select distinct pair from status_lists) p cross join lateral (
        select convert_from(ld, 'UTF8')::jsonb #>> '{issuer,id}' as issuer, key from passport_credentials
        where status_pair = p.pair and ld is not null order by valid_from limit 1
      ) c where l.pair = p.pair;
    end if;
  end $$;
`

/** 017: GTINs are found with 14 digits, also those in an address. */
const gtins = `
  do $do$ begin
    if to_regclass('status_changes') is not null and to_regproc('passport_gtin') is null then
      create function passport_gtin(product jsonb) returns text language sql immutable parallel safe as $$
      select lpad(coalesce(
        substring(product ->> 'gtin' from '^([0-9]{8}|[0-9]{12,14})$'),
        substring(product ->> 'id' from '/01/([0-9]{8}|[0-9]{12,14})([/\\?#]|$)')
      ), 14, '0')
    $$;
      drop index passports_gtin;
      create index passports_gtin on passports (
        passport_gtin(product), (product ->> 'idGranularity'), (product ->> 'itemNumber'), (product ->> 'batchNumber')
      ) where product is not null and passport_gtin(product) is not null;
    end if;
  end $do$;
`
