import type { Knex } from 'knex'

const tokenKinds = `('mintToIssuer', 'mintTo', 'transferTo')`
const recordKinds = `('anchor', 'registerKey', 'rotateKey', 'revokeKey')`
const transactionKinds = `('deploy', 'mintBatch', 'mint', 'transfer', 'fill')`

/**
 * Owners pass passports on: the offers that they make, and the tokens that their wallets sign away, with a contract of the
 * network that wallets run for it. People who hold an item ask its brand for the passport. A session knows when its code
 * was used.
 */
export async function up(knex: Knex): Promise<void> {
  await allowPassingOn(knex)
  await knex.raw(`
    alter table sessions add column code_at timestamptz(3);

    create table passport_offers (
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      passport uuid not null references passports on delete cascade,
      status text not null
        check (status in ('open', 'accepted', 'completed', 'failed', 'declined', 'withdrawn', 'expired')),
      -- The owner's account, which stays when its person is gone, and the person, who does not.
      from_account uuid,
      from_user uuid,
      -- Whom it is for; both are null where that was erased.
      to_email text,
      to_phone_number text,
      -- Who accepted it, and the account that gets the token.
      to_user uuid,
      to_account uuid,
      token_hash bytea not null unique,
      job uuid,
      operation text unique,
      transaction_hash text,
      reason text,
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create unique index passport_offers_current on passport_offers (passport) where status in ('open', 'accepted');
    create index passport_offers_of_passport on passport_offers (passport, created_at desc, id desc);
    create index passport_offers_made on passport_offers (application, from_user) where from_user is not null;
    create index passport_offers_taken on passport_offers (application, to_user) where to_user is not null;
    create index passport_offers_to_email on passport_offers (application, to_email) where to_email is not null;
    create index passport_offers_to_phone on passport_offers (application, to_phone_number)
      where to_phone_number is not null;
    create index passport_offers_open on passport_offers (expires_at) where status = 'open';
    create index passport_offers_ended on passport_offers (updated_at) where status not in ('open', 'accepted');

    create table claim_requests (
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      passport uuid not null references passports on delete cascade,
      status text not null check (status in ('waiting', 'approved', 'declined')),
      -- Who asks, and where they are reached; null where that was erased.
      end_user uuid,
      email text,
      phone_number text,
      language text not null,
      text text not null,
      decided_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create unique index claim_requests_waiting on claim_requests (passport, end_user) where status = 'waiting';
    create index claim_requests_newest on claim_requests (organization, created_at desc, id desc);
    create index claim_requests_of_passport on claim_requests (passport, created_at desc, id desc);
    create index claim_requests_of_person on claim_requests (application, end_user) where end_user is not null;
    create index claim_requests_reachable on claim_requests (decided_at)
      where email is not null or phone_number is not null`)
}

/** Lets tokens be passed on, in the tables of the senders. */
export async function allowPassingOn(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table chain_contracts
      drop constraint chain_contracts_kind_check,
      add constraint chain_contracts_kind_check
        check (kind in ('passports', 'points', 'anchors', 'keys', 'handovers'));
    alter table chain_operations
      drop constraint chain_operations_kind_check,
      add constraint chain_operations_kind_check check (case
        when kind in ${tokenKinds}
          then application is not null and token_id is not null and line is not null and content is null
        when kind = 'passOn' then application is not null and token_id is not null and line is not null
          and recipient is not null and content is not null
        when kind in ${recordKinds} then application is null and token_id is null and content is not null
        when kind = 'postPoints' then application is not null and recipient is not null and content is not null
          and token_id is null and line is null
        else false end);
    drop index chain_operations_singles;
    create index chain_operations_singles on chain_operations (network, organization, seq)
      where status = 'queued' and kind in ('mintTo', 'transferTo', 'passOn');
    alter table chain_transactions
      drop constraint chain_transactions_kind_check,
      add constraint chain_transactions_kind_check check (kind in ${transactionKinds}
        or kind in ${recordKinds} or kind in ('passOn', 'postPoints'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table claim_requests;
    drop table passport_offers;
    alter table sessions drop column code_at;
    delete from chain_operations where kind = 'passOn';
    update chain_transactions set kind = 'fill' where kind = 'passOn';
    delete from chain_contracts where kind = 'handovers';
    alter table chain_transactions
      drop constraint chain_transactions_kind_check,
      add constraint chain_transactions_kind_check check (kind in ${transactionKinds}
        or kind in ${recordKinds} or kind = 'postPoints');
    drop index chain_operations_singles;
    create index chain_operations_singles on chain_operations (network, organization, seq)
      where status = 'queued' and kind in ('mintTo', 'transferTo');
    alter table chain_operations
      drop constraint chain_operations_kind_check,
      add constraint chain_operations_kind_check check (case
        when kind in ${tokenKinds}
          then application is not null and token_id is not null and line is not null and content is null
        when kind in ${recordKinds} then application is null and token_id is null and content is not null
        when kind = 'postPoints' then application is not null and recipient is not null and content is not null
          and token_id is null and line is null
        else false end);
    alter table chain_contracts
      drop constraint chain_contracts_kind_check,
      add constraint chain_contracts_kind_check check (kind in ('passports', 'points', 'anchors', 'keys'));
  `)
}
