import type { Knex } from 'knex'

/**
 * What is to happen on chains and what did. An operation is `queued`, then `sent` (its transaction says how far),
 * then `final` or `failed`. A transaction is one nonce of a sender: its signed attempts differ in fees only, so
 * whichever is mined has the same effect. `lost`: its nonce was used by something else, or the chain forgot it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table chain_senders (
      network text not null,
      address text not null,
      account text not null,
      next_nonce bigint not null default 0,
      genesis text,
      final bigint not null default 0,
      created_at timestamptz not null default now(),
      primary key (network, address)
    );

    create table chain_transactions (
      id uuid primary key,
      network text not null,
      sender text not null,
      nonce bigint not null,
      kind text not null check (kind in ('deploy', 'mintBatch', 'mint', 'transfer', 'fill')),
      application uuid,
      contract text,
      status text not null check (status in ('signed', 'submitted', 'included', 'final', 'reverted', 'lost')),
      hash text,
      block_number bigint,
      block_hash text,
      block_at timestamptz,
      batch int,
      moved_from text,
      created_at timestamptz not null default now()
    );
    create unique index chain_transactions_nonce on chain_transactions (network, sender, nonce) where status <> 'lost';
    create index chain_transactions_flying on chain_transactions (network, sender, nonce)
      where status in ('signed', 'submitted', 'included');
    create index chain_transactions_block on chain_transactions (network, sender, block_number)
      where block_number is not null;

    create table chain_attempts (
      hash text primary key,
      transaction uuid not null references chain_transactions on delete cascade,
      raw bytea not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index chain_attempts_transaction on chain_attempts (transaction);

    create table chain_contracts (
      application uuid not null,
      network text not null,
      name text not null,
      symbol text not null,
      sender text,
      issuer text,
      address text,
      transaction uuid references chain_transactions,
      created_at timestamptz not null default now(),
      primary key (application, network)
    );
    create index chain_contracts_wanted on chain_contracts (network, sender) where transaction is null;
    create index chain_contracts_transaction on chain_contracts (transaction) where transaction is not null;

    create table chain_operations (
      id text primary key,
      seq bigint not null generated always as identity,
      organization uuid not null,
      application uuid not null,
      network text not null,
      kind text not null check (kind in ('mintToIssuer', 'mintTo', 'transferTo')),
      token_id bytea not null check (length(token_id) = 32),
      recipient text,
      job uuid not null,
      line int not null,
      status text not null default 'queued' check (status in ('queued', 'sent', 'final', 'failed')),
      share int,
      transaction uuid references chain_transactions,
      position int,
      reason text,
      created_at timestamptz not null default now()
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
    create index chain_operations_mints on chain_operations (network, application, seq)
      where status = 'queued' and kind = 'mintToIssuer';
    create index chain_operations_singles on chain_operations (network, seq)
      where status = 'queued' and kind <> 'mintToIssuer';
    create index chain_operations_token on chain_operations (application, token_id);
    create index chain_operations_transaction on chain_operations (transaction) where transaction is not null;
    create index chain_operations_failed on chain_operations (network) where status = 'failed';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table chain_operations, chain_contracts, chain_attempts, chain_transactions, chain_senders')
}
