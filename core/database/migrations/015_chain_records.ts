import type { Knex } from 'knex'

const tokenKinds = `('mintToIssuer', 'mintTo', 'transferTo')`
const recordKinds = `('anchor', 'registerKey', 'rotateKey', 'revokeKey')`

/**
 * Operations that concern no token: roots and keys, whose `content` is what stands on the chain. Their contracts belong
 * to no application: there is one of each kind on a network.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table chain_contracts drop constraint chain_contracts_pkey;
    alter table chain_contracts
      add column id uuid primary key default gen_random_uuid(),
      add column kind text not null default 'passports' check (kind in ('passports', 'anchors', 'keys')),
      alter column application drop not null,
      alter column name drop not null,
      alter column symbol drop not null,
      add constraint chain_contracts_whose check (case when kind = 'passports'
        then application is not null and name is not null and symbol is not null else application is null end);
    create unique index chain_contracts_application on chain_contracts (application, network, kind)
      where application is not null;
    create unique index chain_contracts_shared on chain_contracts (network, kind) where application is null;

    alter table chain_operations
      alter column application drop not null,
      alter column token_id drop not null,
      alter column line drop not null,
      add column content jsonb,
      drop constraint chain_operations_kind_check,
      add constraint chain_operations_kind_check check (case
        when kind in ${tokenKinds}
          then application is not null and token_id is not null and line is not null and content is null
        when kind in ${recordKinds} then application is null and token_id is null and content is not null
        else false end);
    create index chain_operations_records on chain_operations (network, organization, seq)
      where kind in ${recordKinds} and status in ('queued', 'sent');

    alter table chain_transactions
      drop constraint chain_transactions_kind_check,
      add constraint chain_transactions_kind_check check (kind in ('deploy', 'mintBatch', 'mint', 'transfer', 'fill')
        or kind in ${recordKinds});
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from chain_operations where kind in ${recordKinds};
    update chain_transactions set kind = 'fill' where kind in ${recordKinds};
    delete from chain_contracts where application is null;
    alter table chain_transactions
      drop constraint chain_transactions_kind_check,
      add constraint chain_transactions_kind_check
        check (kind in ('deploy', 'mintBatch', 'mint', 'transfer', 'fill'));

    drop index chain_operations_records;
    alter table chain_operations
      drop constraint chain_operations_kind_check,
      add constraint chain_operations_kind_check check (kind in ${tokenKinds}),
      drop column content,
      alter column line set not null,
      alter column token_id set not null,
      alter column application set not null;

    drop index chain_contracts_shared;
    drop index chain_contracts_application;
    alter table chain_contracts
      drop constraint chain_contracts_whose,
      drop column kind,
      drop column id,
      alter column name set not null,
      alter column symbol set not null,
      add primary key (application, network);
  `)
}
