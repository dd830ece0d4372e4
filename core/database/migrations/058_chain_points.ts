import type { Knex } from 'knex'

const tokenKinds = `('mintToIssuer', 'mintTo', 'transferTo')`
const recordKinds = `('anchor', 'registerKey', 'rotateKey', 'revokeKey')`
const transactionKinds = `('deploy', 'mintBatch', 'mint', 'transfer', 'fill')`

/**
 * Points of accounts: an operation of an application that names an account and no token; its `content` is the amount.
 * An application has one contract of points a network. Operations on single tokens get an index of their own condition,
 * so that the sender does not walk over queued points to find them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table chain_contracts
      drop constraint chain_contracts_kind_check,
      add constraint chain_contracts_kind_check check (kind in ('passports', 'points', 'anchors', 'keys')),
      drop constraint chain_contracts_whose,
      add constraint chain_contracts_whose check (case when kind in ('passports', 'points')
        then application is not null and name is not null and symbol is not null else application is null end);

    alter table chain_operations
      drop constraint chain_operations_kind_check,
      add constraint chain_operations_kind_check check (case
        when kind in ${tokenKinds}
          then application is not null and token_id is not null and line is not null and content is null
        when kind in ${recordKinds} then application is null and token_id is null and content is not null
        when kind = 'postPoints' then application is not null and recipient is not null and content is not null
          and token_id is null and line is null
        else false end);
    drop index chain_operations_singles;
    create index chain_operations_singles on chain_operations (network, organization, seq)
      where status = 'queued' and kind in ('mintTo', 'transferTo');
    create index chain_operations_points on chain_operations (network, application, seq)
      where status = 'queued' and kind = 'postPoints';

    alter table chain_transactions
      drop constraint chain_transactions_kind_check,
      add constraint chain_transactions_kind_check check (kind in ${transactionKinds}
        or kind in ${recordKinds} or kind = 'postPoints');
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from chain_operations where kind = 'postPoints';
    update chain_transactions set kind = 'fill' where kind = 'postPoints';
    delete from chain_contracts where kind = 'points';
    alter table chain_transactions
      drop constraint chain_transactions_kind_check,
      add constraint chain_transactions_kind_check check (kind in ${transactionKinds} or kind in ${recordKinds});

    drop index chain_operations_points;
    drop index chain_operations_singles;
    create index chain_operations_singles on chain_operations (network, organization, seq)
      where status = 'queued' and kind <> 'mintToIssuer';
    alter table chain_operations
      drop constraint chain_operations_kind_check,
      add constraint chain_operations_kind_check check (case
        when kind in ${tokenKinds}
          then application is not null and token_id is not null and line is not null and content is null
        when kind in ${recordKinds} then application is null and token_id is null and content is not null
        else false end);

    alter table chain_contracts
      drop constraint chain_contracts_whose,
      add constraint chain_contracts_whose check (case when kind = 'passports'
        then application is not null and name is not null and symbol is not null else application is null end),
      drop constraint chain_contracts_kind_check,
      add constraint chain_contracts_kind_check check (kind in ('passports', 'anchors', 'keys'));
  `)
}
