import type { Knex } from 'knex'

const tables = 'chain_senders, chain_transactions, chain_attempts, chain_contracts, chain_operations'

/**
 * The signer reads what is to be sent and signs nothing else. Its role is `tessera_signer` where `npm start` made it; an
 * operator who gave it another name grants the same to that one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index chain_contracts_address on chain_contracts (network, address) where address is not null;
    do $$ begin
      if exists (select from pg_roles where rolname = 'tessera_signer') then
        grant select on ${tables} to tessera_signer;
      end if;
    end $$`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index chain_contracts_address;
    do $$ begin
      if exists (select from pg_roles where rolname = 'tessera_signer') then
        revoke select on ${tables} from tessera_signer;
      end if;
    end $$`)
}
