import type { Knex } from 'knex'

/**
 * Product sheets. `version` rises with every change; compiled validators are kept by it. A sheet without passports goes
 * with its application, one with passports keeps it, as the passports do. Scans are counted by sheet; in the flow
 * without sheets `product` is an object, far too long for an index, so only the ids of sheets go in.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sheets (
      id uuid primary key,
      organization uuid not null references organizations,
      application uuid not null references applications on delete cascade,
      network text not null,
      name text not null,
      status text not null default 'DRAFT' check (status in ('DRAFT', 'ACTIVE', 'UNLISTED', 'ARCHIVED')),
      product_fields jsonb not null default '[]',
      passports_fields jsonb not null default '[]',
      certified_paths jsonb not null default '[]',
      fields jsonb not null default '{}',
      version int not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create index sheets_created on sheets (organization, created_at desc, id desc);
    create index sheets_updated on sheets (organization, updated_at desc, id desc);
    create index sheets_name on sheets (organization, name, id);
    create index sheets_application on sheets (application, created_at desc, id desc);
    create index events_scans on events
      (organization, (case when jsonb_typeof(passport->'product') = 'string' then passport->>'product' end), created_at)
      where type = 'scan';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index events_scans; drop table sheets')
}
