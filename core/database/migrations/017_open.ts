import type { Knex } from 'knex'

/** Who said when and why that credentials of a passport are revoked or suspended, or no longer suspended. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table status_changes (
      id uuid primary key,
      organization uuid not null,
      passport uuid not null references passports on delete cascade,
      purpose text not null check (purpose in ('revocation', 'suspension')),
      value boolean not null,
      reason text not null,
      created_at timestamptz(3) not null default now()
    );
    create index status_changes_passport on status_changes (passport, purpose, created_at desc, id desc);

    -- Where a credential was kept beside the database: in the local store, or pinned by an IPFS node.
    alter table passport_credentials add column pinned_at timestamptz(3);

    create index passports_gtin on passports ((product ->> 'gtin'))
      where product is not null and product ->> 'gtin' is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index passports_gtin;
    alter table passport_credentials drop column pinned_at;
    drop table status_changes;
  `)
}
