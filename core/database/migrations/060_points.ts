import type { Knex } from 'knex'

/** What became points and what took them, and the job that gathers the chain work of an application. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table loyalty_orders (
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      account uuid not null,
      kind text not null check (
        kind in ('mint', 'burn', 'order', 'welcome', 'assignment', 'adjust', 'expire', 'reverse')
      ),
      -- Signed.
      points bigint not null,
      amount numeric(20, 4),
      currency text,
      reference text,
      reason text,
      items jsonb not null default '[]',
      -- The rule by which points were earned, as it was then.
      rule jsonb,
      operation_id bytea not null unique,
      entry uuid not null,
      reverses uuid,
      point_of_sale uuid,
      external_id text,
      status text not null check (status in ('pending', 'settled', 'failed', 'reversed')),
      contract text,
      transaction_hash text,
      job uuid,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    ) with (fillfactor = 85);
    create unique index loyalty_orders_reference on loyalty_orders (account, reference) where reference is not null;
    create index loyalty_orders_account on loyalty_orders (account, created_at desc, id desc);
    create index loyalty_orders_organization on loyalty_orders (organization, created_at desc, id desc);
    create index loyalty_orders_entry on loyalty_orders (entry);
    create index loyalty_orders_job on loyalty_orders (job, status);

    create table loyalty_gatherings (
      application uuid not null,
      network text not null,
      job uuid not null,
      opened_at timestamptz(3) not null default clock_timestamp(),
      primary key (application, network)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table loyalty_gatherings, loyalty_orders')
}
