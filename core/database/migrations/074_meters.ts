import type { Knex } from 'knex'

/**
 * Meters: how many units organizations have used in a month, blocks of units that processes and jobs hold, and what was
 * used of each block. The hot path inserts one row into `meter_uses` and updates nothing, so that requests of one
 * organization never wait for each other. No foreign key points at a block: it goes together with its uses.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table organization_plans (
      organization uuid primary key references organizations on delete cascade,
      plan text not null,
      since timestamptz(3) not null default now()
    );

    create table meter_periods (
      organization uuid not null,
      meter text not null,
      -- The first day of the month, in UTC.
      period date not null,
      -- The uses of blocks that have been closed, and the units of the blocks that are open.
      used bigint not null default 0,
      leased bigint not null default 0,
      -- The size of the last block.
      granted bigint not null default 0,
      primary key (organization, meter, period)
    );

    create table meter_blocks (
      id bigint primary key generated always as identity,
      organization uuid not null,
      meter text not null,
      period date not null,
      size bigint not null,
      leased_until timestamptz not null,
      -- The job that holds the block.
      job uuid
    );
    create index meter_blocks_lease on meter_blocks (leased_until);
    create index meter_blocks_organization on meter_blocks (organization, meter, period);
    create index meter_blocks_job on meter_blocks (job) where job is not null;

    create table meter_uses (
      block bigint not null,
      units bigint not null
    );
    create index meter_uses_block on meter_uses (block);

    -- What was used for rows that are gone: nothing is given back by deleting them.
    create table meter_removals (
      organization uuid not null,
      meter text not null,
      period date not null,
      units bigint not null
    );
    create index meter_removals_period on meter_removals (organization, meter, period);

    create function keep_certified_units() returns trigger language plpgsql as $$
    begin
      insert into meter_removals (organization, meter, period, units)
      select organization, 'dpp.operations', date_trunc('month', created_at at time zone 'utc')::date, count(*)
      from gone group by 1, 3;
      return null;
    end $$;
    create trigger keep_certified_units after delete on passport_credentials
      referencing old table as gone for each statement execute function keep_certified_units();`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger keep_certified_units on passport_credentials;
    drop function keep_certified_units;
    drop table meter_removals, meter_uses, meter_blocks, meter_periods, organization_plans`)
}
