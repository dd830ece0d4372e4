import type { Knex } from 'knex'

/**
 * What a provider of billing knows organizations by, which of its events were taken, and what it is told about units past
 * the limits of plans.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table billing_customers (
      organization uuid primary key references organizations on delete cascade,
      customer text not null unique,
      created_at timestamptz(3) not null default now(),
      -- How often the subscriptions were asked for, and the latest asking whose answer counts.
      reads bigint not null default 0,
      applied_read bigint not null default 0,
      -- The plan that a subscription has last decided, since when, and the plan at the beginning of that month.
      plan text,
      plan_since timestamptz,
      month_plan text,
      -- A smaller plan that holds from a later month.
      next_plan text,
      next_plan_at timestamptz,
      check ((next_plan is null) = (next_plan_at is null))
    );
    create index billing_customers_next on billing_customers (next_plan_at) where next_plan is not null;

    -- An event is taken once, for ever.
    create table billing_events (
      id text primary key,
      type text not null,
      taken_at timestamptz(3) not null default now()
    );

    -- Units past a limit that the provider is told: at most one row a day for each meter and month.
    create table billing_overages (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      meter text not null,
      period date not null,
      day date not null,
      units bigint not null check (units > 0),
      -- The time that the units are charged for, within the month.
      at timestamptz not null,
      status text not null default 'waiting' check (status in ('waiting', 'sent', 'unclear', 'refused')),
      attempts int not null default 0,
      due_at timestamptz not null default now(),
      -- Since when nobody knows whether the provider has taken it.
      unclear_since timestamptz,
      unique (organization, meter, period, day)
    );
    create index billing_overages_due on billing_overages (due_at) where status = 'waiting'`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table billing_overages, billing_events, billing_customers')
}
