import type { Knex } from 'knex'

/**
 * What networks were told of keys: a row a record, as a key may be revoked more than once, from an earlier moment each
 * time. Of records from before this table the block is not known.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table certification_key_receipts (
      -- That of the record.
      id text primary key,
      key uuid not null references certification_keys,
      network text not null,
      act text not null check (act in ('registerKey', 'rotateKey', 'revokeKey')),
      status text not null default 'pending' check (status in ('pending', 'final', 'failed')),
      compromised_at timestamptz(3),
      contract text,
      transaction_hash text,
      block_number bigint,
      at timestamptz(3),
      created_at timestamptz(3) not null default now()
    );
    create index certification_key_receipts_key on certification_key_receipts (key, created_at);
    insert into certification_key_receipts (id, key, network, act, status, compromised_at, transaction_hash, created_at)
      select o.id, k.id, o.network, o.kind,
        case when o.kind = 'revokeKey' then r.revocation
          else case r.status when 'registered' then 'final' else r.status end end,
        (o.content ->> 'compromisedAt')::timestamptz,
        case when o.kind = 'revokeKey' then r.revocation_hash else r.transaction_hash end, o.created_at
      from chain_operations o
      join certification_keys k on k.id::text = split_part(o.id, ':', 3)
      join certification_key_registrations r on r.key = k.id and r.network = o.network
      where o.kind in ('registerKey', 'rotateKey', 'revokeKey') and (o.kind <> 'revokeKey' or r.revocation is not null);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table certification_key_receipts')
}
