import type { Knex } from 'knex'

/**
 * A contract of passports takes a limited number of batches; an application whose contract has them all gets a further
 * one on the same network, its next `part`. Contracts that are there are part 0. Batches are counted by contract.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table chain_contracts
      add column part int not null default 0,
      add constraint chain_contracts_part check (part >= 0 and (part = 0 or kind = 'passports'));
    drop index chain_contracts_application;
    create unique index chain_contracts_application on chain_contracts (application, network, kind, part)
      where application is not null;
    create index chain_transactions_batches on chain_transactions (network, contract)
      where kind = 'mintBatch' and status in ('signed', 'submitted', 'included', 'final');
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index chain_transactions_batches;
    delete from chain_contracts where part > 0;
    drop index chain_contracts_application;
    alter table chain_contracts drop constraint chain_contracts_part, drop column part;
    create unique index chain_contracts_application on chain_contracts (application, network, kind)
      where application is not null;
  `)
}
