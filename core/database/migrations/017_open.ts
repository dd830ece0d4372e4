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

    -- What a list is issued as, and the key that signs it where that identifier is not the organization's present one.
    -- The credentials in a list have its issuer; of older lists it is that of the first credential in them.
    alter table status_lists add column issuer text, add column key uuid;
    update status_lists l set issuer = c.issuer, key = c.key
    from (select distinct pair from status_lists) p cross join lateral (
      select convert_from(ld, 'UTF8')::jsonb #>> '{issuer,id}' as issuer, key from passport_credentials
      where status_pair = p.pair and ld is not null order by valid_from limit 1
    ) c where l.pair = p.pair;

    -- Where a credential was kept beside the database: in the local store, or pinned by an IPFS node.
    alter table passport_credentials add column pinned_at timestamptz(3);

    -- The GTIN that a product has itself, with 14 digits: in its gtin, else after /01/ in its id. Null for none.
    create function passport_gtin(product jsonb) returns text language sql immutable parallel safe as $$
      select lpad(coalesce(
        substring(product ->> 'gtin' from '^([0-9]{8}|[0-9]{12,14})$'),
        substring(product ->> 'id' from '/01/([0-9]{8}|[0-9]{12,14})([/\\?#]|$)')
      ), 14, '0')
    $$;
    create index passports_gtin on passports (
      passport_gtin(product), (product ->> 'idGranularity'), (product ->> 'itemNumber'), (product ->> 'batchNumber')
    ) where product is not null and passport_gtin(product) is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index passports_gtin;
    drop function passport_gtin(jsonb);
    alter table passport_credentials drop column pinned_at;
    alter table status_lists drop column issuer, drop column key;
    drop table status_changes;
  `)
}
