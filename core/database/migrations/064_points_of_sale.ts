import type { Knex } from 'knex'

/**
 * Points of sale, and the restaurant point-of-sale system of an organization: its settings, the restaurants that are
 * bound, and the orders it reported. A restaurant is bound once over all organizations, and an order of an integration
 * is kept once for ever, whatever the code does.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table points_of_sale (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      application uuid not null references applications on delete cascade,
      name text not null,
      external_id text,
      address text,
      time_zone text not null,
      status text not null check (status in ('active', 'inactive')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create unique index points_of_sale_external_id on points_of_sale (application, external_id)
      where external_id is not null;
    create index points_of_sale_organization on points_of_sale (organization, created_at desc, id desc);
    create index points_of_sale_application on points_of_sale (application, created_at desc, id desc);

    create table pos_integrations (
      id uuid primary key,
      organization uuid not null unique references organizations on delete cascade,
      base_url text,
      -- Sealed.
      api_key bytea,
      webhook_secret bytea,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );

    create table pos_restaurants (
      restaurant text primary key,
      integration uuid not null references pos_integrations on delete cascade,
      application uuid not null references applications on delete cascade,
      point_of_sale uuid references points_of_sale on delete restrict,
      position int not null,
      -- Orders that closed before are known.
      watermark timestamptz(3) not null default now(),
      next_sweep_at timestamptz(3) not null default now(),
      sweep_failures int not null default 0
    );
    create index pos_restaurants_integration on pos_restaurants (integration, position);
    create index pos_restaurants_application on pos_restaurants (application);
    create index pos_restaurants_point_of_sale on pos_restaurants (point_of_sale) where point_of_sale is not null;
    create index pos_restaurants_due on pos_restaurants (next_sweep_at);

    create table pos_orders (
      id uuid primary key,
      organization uuid not null,
      integration uuid not null,
      -- The identifiers of the system that reported it.
      order_id text not null,
      restaurant text not null,
      application uuid not null,
      point_of_sale uuid,
      customer text not null,
      email text,
      phone_number text,
      total numeric(20, 4) not null,
      currency text not null,
      items jsonb not null default '[]',
      closed_at timestamptz(3) not null,
      -- The highest total that was reported as refunded, and how much of it has been worked off.
      refunded numeric(20, 4) not null default 0,
      reversed numeric(20, 4) not null default 0,
      status text not null check (status in ('received', 'awaiting', 'earned', 'skipped')),
      skip_reason text,
      account uuid,
      -- The order of points that it became, and what that gave.
      loyalty_order uuid,
      points bigint not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (integration, order_id)
    );
    create index pos_orders_customer on pos_orders (application, customer) where status = 'awaiting';
    create index pos_orders_email on pos_orders (application, email) where status = 'awaiting' and email is not null;
    create index pos_orders_phone_number on pos_orders (application, phone_number)
      where status = 'awaiting' and phone_number is not null;
    create index pos_orders_contacts on pos_orders (created_at)
      where status = 'awaiting' and (email is not null or phone_number is not null);
    create index pos_orders_account on pos_orders (account) where account is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table pos_orders, pos_restaurants, pos_integrations, points_of_sale')
}
