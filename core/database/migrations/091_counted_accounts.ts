import type { Knex } from 'knex'

/**
 * In which months an account was counted: the last one in which it was an active user, because it had an entry or a visit,
 * and the one in which it became a wallet, by its first entry or claim. The columns stand in no index, because the row of
 * an account is updated with every entry in any case.
 */
export const transaction = false

const monthSql = "date_trunc('month', now()::timestamptz(3) at time zone 'utc')::date"

/** Counts the months of accounts that `counted` has set to the present one, as used. */
const addUsedSql = (meter: string, month: string) => `
  insert into meter_periods (organization, meter, period, used)
  select organization, '${meter}', ${month}, count(*) from counted where ${month} = ${monthSql} group by organization, ${month}
  order by organization
  on conflict (organization, meter, period) do update set used = meter_periods.used + excluded.used`

const postingsSql = `
  select p.owner as account, p.recorded_at as at from ledger_postings p join ledger_books k on k.id = p.book
  where p.owner <> p.book and k.name in ('points', 'visits')`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table accounts add column if not exists active_month date, add column if not exists wallet_month date',
  )
  // In statements of their own, because adding columns locks the table. Each counts what it marks: an earlier attempt
  // that was interrupted has counted nothing, or all of it.
  await knex.raw(`
    with active as (
      select distinct account from (${postingsSql} and p.recorded_at >= ${monthSql}::timestamp at time zone 'utc') posted),
    locked as (
      select id from accounts where id in (select account from active) and active_month is null
      order by id for no key update),
    counted as (
      update accounts set active_month = ${monthSql} from locked where accounts.id = locked.id
      returning accounts.organization, accounts.active_month)
    ${addUsedSql('loyalty.activeUsers', 'active_month')}`)
  await knex.raw(`
    with first as (
      select account, date_trunc('month', min(at) at time zone 'utc')::date as month from (
        ${postingsSql}
        union all select account, created_at from claims where account is not null) made
      group by account),
    locked as (
      select accounts.id, first.month from accounts join first on first.account = accounts.id
      where accounts.wallet_month is null order by accounts.id for no key update of accounts),
    counted as (
      update accounts set wallet_month = locked.month from locked where accounts.id = locked.id
      returning accounts.organization, accounts.wallet_month)
    ${addUsedSql('wallets', 'wallet_month')}`)
}

export async function down(knex: Knex): Promise<void> {
  // What was counted goes too, because it would be counted again.
  await knex.raw(`
    with blocks as (delete from meter_blocks where meter in ('loyalty.activeUsers', 'wallets') returning id)
    delete from meter_uses where block in (select id from blocks)`)
  await knex.raw("delete from meter_periods where meter in ('loyalty.activeUsers', 'wallets')")
  await knex.raw('alter table accounts drop column active_month, drop column wallet_month')
}
