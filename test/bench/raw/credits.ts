/**
 * One statement that inserts what a credit of points consists of: the entry, two postings, the lot, the balance, the
 * order, the event and the operation of the chain, and that updates the figures of the account. The book, and the job
 * that follows the points, are there before. Values: organization, account, operation (32 bytes), points.
 */
export const insertCredit = `
  with account as (
    select a.id, a.organization, a.application, a.network, a.address, b.id as book, g.job, p.name
    from accounts a
    join applications p on p.id = a.application
    join ledger_books b on b.name = 'points' and b.subject = a.application and b.network = a.network
    join loyalty_gatherings g on g.application = a.application and g.network = a.network
    where a.id = $2::uuid and a.organization = $1::uuid and a.user_id is not null),
  made as (
    insert into ledger_entries (id, operation_id, organization, kind, occurred_at)
    select uuidv7(), $3::bytea, organization, 'mint', now() from account returning id, recorded_at),
  kept as (
    insert into ledger_balances as known (book, owner, amount) select book, id, $4::bigint from account
    on conflict (book, owner) do update set amount = known.amount + excluded.amount
    returning amount),
  lot as (
    insert into ledger_lots (id, book, owner, entry, amount, remaining, state, activates_at)
    select made.id, account.book, account.id, made.id, $4::bigint, $4::bigint, 'active', made.recorded_at
    from account, made),
  posting as (
    insert into ledger_postings (entry, place, book, owner, amount, recorded_at)
    select made.id, side.place, account.book, side.owner, side.amount, made.recorded_at
    from account, made, lateral (values (0, account.id, $4::bigint), (1, account.book, -($4::bigint)))
      as side (place, owner, amount)),
  ordered as (
    insert into loyalty_orders (id, organization, application, account, kind, points, operation_id, entry, job, status)
    select uuidv7(), organization, application, account.id, 'mint', $4::bigint, $3::bytea, made.id, job, 'pending'
    from account, made),
  noted as (
    insert into events (id, organization, application, application_name, subject, type)
    select uuidv7(), organization, application, name, 'wallet', 'update' from account),
  queued as (
    insert into chain_operations (id, organization, application, network, kind, recipient, content, job)
    select '0x' || encode($3::bytea, 'hex'), organization, application, network, 'postPoints', address,
      jsonb_build_object('amount', ($4::bigint)::text), job
    from account),
  figures as (
    update accounts set points = kept.amount from kept where accounts.id = $2::uuid)
  select account.job, kept.amount::text as balance from account, kept`

/** A row as the statement returns it. */
export interface CreditRow {
  job: string
  balance: string
}
