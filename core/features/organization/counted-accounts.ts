import type { Knex } from 'knex'
import { createPostedBeforeSql, recordedPostingsSql } from '../../ledger/index.ts'
import type { MeterTotal } from '../../meters/index.ts'
import { activeMonthSql, newWalletsSql, walletMonthSql } from '../accounts/index.ts'
import type { UnitsReader } from '../area.ts'
import { firstClaimsSql } from '../dpp/index.ts'
import { pointsBookName, visitsBookName } from '../loyalty/index.ts'

/** How long a transaction may have run that counted an account in the month before and posted its entry in this one. */
const turnMinutes = 5

/**
 * Active users: whoever had an entry of points or a visit. Wallets: whoever had the first one, or the first claim; and
 * whoever counts as one by the account itself, because a claim goes with its passport, and nothing is given back by that.
 * An entry is dated when it is posted, and its account is counted in the month in which the transaction began: for entries
 * of the first minutes the account says whether it was counted in this month. An account that became a wallet in an earlier
 * month by a claim is none again when the claim is gone.
 */
const countedSql = `
  with month as (select start, (start at time zone 'utc')::date as first from (select ?::timestamptz as start) given),
  posted as (
    select organization, owner, min(at) as oldest, max(at) as newest from (${recordedPostingsSql}) made
    group by organization, owner),
  begun as (
    select organization, owner, least(posted.oldest, claimed.oldest) as oldest
    from posted full join (${firstClaimsSql}) claimed using (organization, owner))
  select organization, 'loyalty.activeUsers' as meter, count(*) as units from posted, month
  where newest >= month.start + interval '${turnMinutes} minutes'
    or ${activeMonthSql('posted.owner')} >= month.first
  group by organization
  union all
  select organization, 'wallets', count(*) from (
    select organization, owner from begun, month
    where oldest >= month.start + interval '${turnMinutes} minutes' and not ${createPostedBeforeSql('begun.owner')}
      and not coalesce(${walletMonthSql('begun.owner')} < month.first, false)
    union ${newWalletsSql}) wallets
  group by organization`

/** Reads from the ledger and the claims how many accounts organizations have used units for. */
export const readCountedAccounts: UnitsReader = async (db, from, to) => {
  const books = [pointsBookName, visitsBookName]
  const { rows } = await db.raw<{ rows: MeterTotal[] }>(countedSql, [
    from,
    from,
    to,
    books,
    to,
    from,
    books,
    from,
  ] as Knex.RawBinding[])
  return rows
}
