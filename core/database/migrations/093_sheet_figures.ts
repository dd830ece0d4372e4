import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * The figures of a sheet and of an organization are maintained: passports by sheet and status, minted passports, claims by
 * status, and scans by month. Every change appends what it changes to a count, as in 008, so writers never wait for each
 * other. The newest change of passports and claims is read from the end of an index.
 *
 * A claim knows the sheet of its passport, which never changes, because it goes together with its passport. The column has
 * a name of its own: processes of the version before join claims with passports, and say `sheet`.
 */
export const transaction = false

/** The claims whose sheet one statement fills in. */
const claimsPerStep = 10_000
const lowestId = '00000000-0000-0000-0000-000000000000'

const indexes: Readonly<Record<string, string>> = {
  passports_by_sheet_change: 'on passports (sheet, status, updated_at) where sheet is not null',
  claims_by_change: 'on claims (organization, updated_at)',
  claims_by_sheet_change: 'on claims (passport_sheet, updated_at) where passport_sheet is not null',
}

/** What an interrupted attempt has done is done again, or stays. */
export async function up(knex: Knex): Promise<void> {
  await knex.transaction((trx) => trx.raw(claimSheets))
  await fillSheetsOfClaims(knex)
  // In transactions of their own: whoever completes a claim writes to both tables, in the other order.
  await knex.transaction((trx) => trx.raw(passportCounts))
  await knex.transaction((trx) => trx.raw(claimCounts))
  await knex.transaction((trx) => trx.raw(scanCounts))
  for (const [name, definition] of Object.entries(indexes)) await buildIndexConcurrently(knex, name, definition)
  await knex.raw('drop index concurrently if exists passports_minted')
}

const claimSheets = `
  alter table claims add column if not exists passport_sheet uuid;
  create or replace function set_sheet_of_claim() returns trigger language plpgsql as $$
  begin
    new.passport_sheet := (select sheet from passports where id = new.passport);
    return new;
  end $$;
  create or replace trigger set_sheet_of_claim before insert on claims
    for each row execute function set_sheet_of_claim();
`

async function fillSheetsOfClaims(knex: Knex): Promise<void> {
  for (let after: string | null = lowestId; after !== null;) {
    const { rows }: { rows: { last: string | null }[] } = await knex.raw(
      `with step as (select id, passport from claims where id > ? order by id limit ${claimsPerStep}),
       filled as (
         update claims set passport_sheet = passports.sheet from step join passports on passports.id = step.passport
         where claims.id = step.id and claims.passport_sheet is distinct from passports.sheet)
       select max(id::text) as last from step`,
      [after],
    )
    after = rows[0]?.last ?? null
  }
}

/** The trigger groups the rows of a statement before it looks at their keys: most statements change none or one. */
const passportCounts = `
  lock table passports in share row exclusive mode;
  create or replace function passport_count_keys(
    status text, source text, application uuid, sheet uuid, granularity text, minted boolean)
  returns table (dimension text, value text) language sql immutable as $$
    values ('all', ''), ('status', status), ('source', source), ('application.id', application::text),
      ('product', sheet::text), ('product.idGranularity', granularity),
      ('application.status', application::text || ' ' || status), ('product.status', sheet::text || ' ' || status),
      ('minted', case when minted then '' end), ('product.minted', case when minted then sheet::text end)
  $$;
  create or replace function passports_counted() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, sum(p.delta) from (
          select organization, status, source, application, sheet, product ->> 'idGranularity' as granularity,
            minted_at is not null as minted, count(*) as delta
          from made group by 1, 2, 3, 4, 5, 6, 7
        ) as p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.granularity, p.minted) key
        where key.value is not null group by 1, 2, 3;
    elsif tg_op = 'DELETE' then
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, -sum(p.delta) from (
          select organization, status, source, application, sheet, product ->> 'idGranularity' as granularity,
            minted_at is not null as minted, count(*) as delta
          from gone group by 1, 2, 3, 4, 5, 6, 7
        ) as p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.granularity, p.minted) key
        where key.value is not null group by 1, 2, 3;
    else
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, sum(p.delta) from (
          select organization, status, source, application, sheet, granularity, minted, sum(delta) as delta from (
            select organization, status, source, application, sheet, product ->> 'idGranularity' as granularity,
              minted_at is not null as minted, 1 as delta
            from made
            union all
            select organization, status, source, application, sheet, product ->> 'idGranularity',
              minted_at is not null, -1
            from gone
          ) as moved
          group by 1, 2, 3, 4, 5, 6, 7 having sum(delta) <> 0
        ) as p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.granularity, p.minted) key
        where key.value is not null group by 1, 2, 3 having sum(p.delta) <> 0;
    end if;
    return null;
  end $$;
  drop function if exists passport_count_keys(text, text, uuid, uuid, text);
  delete from passport_counts where dimension in ('product.status', 'minted', 'product.minted');
  with counted as materialized (
    select organization, sheet, status, minted_at is not null as minted, count(*) as number
    from passports group by 1, 2, 3, 4)
  insert into passport_counts (organization, dimension, value, delta)
    select organization, 'product.status', sheet::text || ' ' || status, sum(number) from counted
    where sheet is not null group by 1, 3
    union all
    select organization, 'minted', '', sum(number) from counted where minted group by 1
    union all
    select organization, 'product.minted', sheet::text, sum(number) from counted
    where minted and sheet is not null group by 1, 3;
`

const claimCounts = `
  lock table claims in share row exclusive mode;
  create or replace function claims_counted() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into passport_counts (organization, dimension, value, delta)
        select c.organization, key.dimension, key.value, count(*) from made c,
          claim_count_keys(c.status, c.passport_sheet) key
        where key.value is not null group by 1, 2, 3;
    elsif tg_op = 'DELETE' then
      insert into passport_counts (organization, dimension, value, delta)
        select c.organization, key.dimension, key.value, -count(*) from gone c,
          claim_count_keys(c.status, c.passport_sheet) key
        where key.value is not null group by 1, 2, 3;
    else
      insert into passport_counts (organization, dimension, value, delta)
        select moved.organization, key.dimension, key.value, sum(moved.delta) from (
          select organization, status, passport_sheet, 1 as delta from made
          union all
          select organization, status, passport_sheet, -1 from gone
        ) as moved, claim_count_keys(moved.status, moved.passport_sheet) key
        where key.value is not null group by 1, 2, 3 having sum(moved.delta) <> 0;
    end if;
    return null;
  end $$;
  create or replace function claim_count_keys(status text, sheet uuid)
  returns table (dimension text, value text) language sql immutable as $$
    values ('claim.status', status), ('product.claim.status', sheet::text || ' ' || status)
  $$;
  create or replace trigger claims_inserted after insert on claims referencing new table as made
    for each statement execute function claims_counted();
  create or replace trigger claims_deleted after delete on claims referencing old table as gone
    for each statement execute function claims_counted();
  create or replace trigger claims_updated after update on claims referencing new table as made old table as gone
    for each statement execute function claims_counted();
  delete from passport_counts where dimension in ('claim.status', 'product.claim.status');
  insert into passport_counts (organization, dimension, value, delta)
    select c.organization, key.dimension, key.value, sum(c.number) from (
      select organization, status, passport_sheet, count(*) as number from claims group by 1, 2, 3
    ) as c, claim_count_keys(c.status, c.passport_sheet) key
    where key.value is not null group by 1, 2, 3;
`

/**
 * A month of scans goes with the events of that month. Only scans call the trigger: the events of a mint are many. A scan
 * of a product without a sheet has none.
 */
const scanCounts = `
  lock table events in share row exclusive mode;
  create table if not exists scan_counts (
    organization uuid not null,
    sheet uuid,
    month date not null,
    number bigint not null,
    last_at timestamptz(3) not null
  ) with (autovacuum_vacuum_scale_factor = 0.05);
  create index if not exists scan_counts_key on scan_counts (organization, sheet, month) include (number, last_at);

  create or replace function get_scanned_sheet(passport jsonb) returns uuid language sql immutable as $$
    select case when jsonb_typeof(passport -> 'product') = 'string' and passport ->> 'product'
      ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then (passport ->> 'product')::uuid end
  $$;
  create or replace function scan_counted() returns trigger language plpgsql as $$
  begin
    insert into scan_counts (organization, sheet, month, number, last_at)
      values (new.organization, get_scanned_sheet(new.passport),
        date_trunc('month', new.created_at at time zone 'UTC')::date, 1, new.created_at);
    return null;
  end $$;
  create or replace trigger scan_counted after insert on events
    for each row when (new.type = 'scan') execute function scan_counted();
  delete from scan_counts;
  insert into scan_counts (organization, sheet, month, number, last_at)
    select organization, get_scanned_sheet(passport), date_trunc('month', created_at at time zone 'UTC')::date,
      count(*), max(created_at)
    from events where type = 'scan' group by 1, 2, 3;

  create or replace function scan_counts_roll_up() returns bigint language plpgsql as $$
  declare
    rolled bigint;
  begin
    with crowded as (
      select organization, sheet, month from scan_counts group by 1, 2, 3 having count(*) > 1
    ), gone as (
      delete from scan_counts using crowded
      where scan_counts.organization = crowded.organization and scan_counts.month = crowded.month
        and scan_counts.sheet is not distinct from crowded.sheet
      returning scan_counts.*
    ), kept as (
      insert into scan_counts
        select organization, sheet, month, sum(number), max(last_at) from gone group by 1, 2, 3
    )
    select count(*) into rolled from gone;
    return rolled;
  end $$;
`

export async function down(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, 'passports_minted', 'on passports (organization) where minted_at is not null')
  for (const name of Object.keys(indexes)) await knex.raw(`drop index if exists ${name}`)
  await knex.transaction((trx) => trx.raw(withoutScans))
  await knex.transaction((trx) => trx.raw(withoutClaims))
  await knex.transaction((trx) => trx.raw(withoutPassports))
}

const withoutScans = `
  drop trigger scan_counted on events;
  drop function scan_counted(), scan_counts_roll_up(), get_scanned_sheet(jsonb);
  drop table scan_counts;
`

const withoutClaims = `
  drop trigger claims_inserted on claims;
  drop trigger claims_deleted on claims;
  drop trigger claims_updated on claims;
  drop trigger set_sheet_of_claim on claims;
  drop function claims_counted(), claim_count_keys(text, uuid), set_sheet_of_claim();
  alter table claims drop column passport_sheet;
  delete from passport_counts where dimension in ('claim.status', 'product.claim.status');
`

/** As 008 and 076 have made them. */
const withoutPassports = `
  lock table passports in share row exclusive mode;
  create function passport_count_keys(status text, source text, application uuid, sheet uuid, granularity text)
  returns table (dimension text, value text) language sql immutable as $$
    values ('all', ''), ('status', status), ('source', source), ('application.id', application::text),
      ('product', sheet::text), ('product.idGranularity', granularity),
      ('application.status', application::text || ' ' || status)
  $$;
  create or replace function passports_counted() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, count(*) from made p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.product ->> 'idGranularity') key
        where key.value is not null group by 1, 2, 3;
    elsif tg_op = 'DELETE' then
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, -count(*) from gone p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.product ->> 'idGranularity') key
        where key.value is not null group by 1, 2, 3;
    else
      insert into passport_counts (organization, dimension, value, delta)
        select moved.organization, key.dimension, key.value, sum(moved.delta) from (
          select organization, status, source, application, sheet, product ->> 'idGranularity' as granularity, 1 as delta
          from made
          union all
          select organization, status, source, application, sheet, product ->> 'idGranularity', -1 from gone
        ) as moved,
          passport_count_keys(moved.status, moved.source, moved.application, moved.sheet, moved.granularity) key
        where key.value is not null group by 1, 2, 3 having sum(moved.delta) <> 0;
    end if;
    return null;
  end $$;
  drop function passport_count_keys(text, text, uuid, uuid, text, boolean);
  delete from passport_counts where dimension in ('product.status', 'minted', 'product.minted');
`
