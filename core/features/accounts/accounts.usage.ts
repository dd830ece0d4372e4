import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { currentPeriodSql } from '../../meters/index.ts'
import type { AccountHolder } from './accounts.ts'

/** How accounts are counted. */
export interface CountingOptions {
  /** Counts accounts whatever the limit says: what they did has happened, or must not fail. */
  isForced?: boolean
}

/** How many accounts of an organization are counted for the first time: of the month, and ever. */
export interface CountedAccounts {
  organization: string
  active: number
  wallets: number
}

/**
 * The SQL of the columns that count an account which has a new entry: the month in which it was an active user last, and
 * the month in which it became a wallet. No month is ever moved back.
 * @param isActive the SQL of whether it has a new entry
 */
export const createCountingSql = (isActive: string): string => `
  active_month = case when ${isActive} then greatest(accounts.active_month, ${currentPeriodSql})
    else accounts.active_month end,
  wallet_month = case when ${isActive} then coalesce(accounts.wallet_month, ${currentPeriodSql})
    else accounts.wallet_month end`

/** The SQL of which meters an update with `createCountingSql` counts an account for, as `returning` has it. */
export const countedSql = `old.active_month is distinct from new.active_month as is_active,
  old.wallet_month is distinct from new.wallet_month as is_wallet`

/** The SQL of the last month in which an account was an active user, a date, or null. @param account the SQL of its id */
export const activeMonthSql = (account: string): string =>
  `(select counted.active_month from accounts counted where counted.id = ${account})`

/** The SQL of the month in which an account became a wallet, a date, or null. @param account the SQL of its id */
export const walletMonthSql = (account: string): string =>
  `(select counted.wallet_month from accounts counted where counted.id = ${account})`

/** The SQL of the accounts (`organization`, `owner`) that became wallets in a month. Binding: its first instant in UTC. */
export const newWalletsSql =
  "select organization, id as owner from accounts where wallet_month = (?::timestamptz at time zone 'utc')::date"

/** Uses the units of accounts that were counted, in the transaction that counted them. @throws QUOTA_EXCEEDED */
export async function takeAccountUnits(
  trx: Knex,
  { meters }: Pick<Context, 'meters'>,
  counted: readonly CountedAccounts[],
  { isForced = false }: CountingOptions = {},
): Promise<void> {
  for (const { organization, active, wallets } of counted) {
    if (wallets > 0) await meters.takeShared(trx, { organization, meter: 'wallets', units: wallets, isForced })
    if (active > 0)
      await meters.takeShared(trx, { organization, meter: 'loyalty.activeUsers', units: active, isForced })
  }
}

/**
 * Counts the account of a person as a wallet, because it gets a passport; once for ever, in the month in which it became
 * one. @returns its id; undefined if the person has no account there
 * @throws QUOTA_EXCEEDED past the limit, unless it `isForced`; the transaction must be rolled back
 */
export async function countWallet(
  trx: Knex,
  context: Pick<Context, 'meters'>,
  { application, network, user }: AccountHolder,
  options: CountingOptions = {},
): Promise<string | undefined> {
  const { rows } = await trx.raw<{ rows: { id: string; organization: string; is_new: boolean }[] }>(
    `with found as (select id, organization from accounts where application = ? and network = ? and user_id = ?),
     counted as (
       update accounts set wallet_month = ${currentPeriodSql} from found
       where accounts.id = found.id and accounts.wallet_month is null returning accounts.id)
     select found.id, found.organization, exists (select from counted) as is_new from found`,
    [application, network, user],
  )
  const [account] = rows
  if (account?.is_new)
    await takeAccountUnits(trx, context, [{ organization: account.organization, active: 0, wallets: 1 }], options)
  return account?.id
}

/**
 * Counts the account of a person who gets a passport as a wallet. One who has no account on its network yet is counted when
 * the job has made it, and refused before that if nothing is left.
 * @returns the account, or null if there is none yet
 * @throws QUOTA_EXCEEDED
 */
export async function countReceiver(
  trx: Knex,
  context: Pick<Context, 'meters'>,
  { organization, ...holder }: AccountHolder & { organization: string },
): Promise<string | null> {
  const account = await countWallet(trx, context, holder)
  if (account !== undefined) return account
  await context.meters.assertLeft(trx, { organization, meter: 'wallets' }, 1)
  return null
}

/** Lists which of some accounts are no wallets yet. */
export const listNewcomers = (trx: Knex, accounts: readonly string[]): Promise<string[]> =>
  trx('accounts').whereIn('id', accounts).whereNull('wallet_month').pluck<string[]>('id')
