import type { Knex } from 'knex'
import { getConstraint } from '../../kernel/ports/constraint.ts'
import { createValidationProblem } from '../../kernel/problem.ts'

/** What decides the tier of an account, and what is kept of it. */
export interface AccountProfile {
  id: string
  organization: string
  application: string
  /** Tier that holds whatever the visits. */
  fixedTier: string | null
  /** The tier that is kept beside the account. */
  tier: string | null
  /** When the tier falls if there is no further visit; null: not by time. */
  dueAt: Date | null
}

const profileSql = `id, organization, application, fixed_reward_tier as "fixedTier", reward_tier as tier, tier_due_at as "dueAt"`

/** Locks accounts in the order of their ids, and reads their profiles. One whose person was erased is left out. */
export async function lockProfiles(trx: Knex, accounts: readonly string[]): Promise<AccountProfile[]> {
  const { rows } = await trx.raw<{ rows: AccountProfile[] }>(
    `select ${profileSql} from accounts where id = any(?::uuid[]) and user_id is not null order by id for no key update`,
    [accounts as string[]],
  )
  return rows
}

/** Reads the profile of an account, or undefined if there is none or its person was erased. */
export async function findProfile(db: Knex, account: string): Promise<AccountProfile | undefined> {
  const { rows } = await db.raw<{ rows: AccountProfile[] }>(
    `select ${profileSql} from accounts where id = ? and user_id is not null`,
    [account],
  )
  return rows[0]
}

/** What an organization may set of an account; what is left out stays as it is. */
export interface ProfileChange {
  fixedTier?: string | null
  /** The customer at the point of sale. */
  customerId?: string | null
  optInApple?: boolean
  optInGoogle?: boolean
}

/**
 * Changes the profile of an account.
 * @throws VALIDATION_FAILED if another account of the application has the customer
 */
export async function changeProfile(
  trx: Knex,
  account: string,
  { fixedTier, customerId, optInApple, optInGoogle }: ProfileChange,
): Promise<void> {
  const columns = {
    ...(fixedTier !== undefined && { fixed_reward_tier: fixedTier }),
    ...(customerId !== undefined && { customer_id: customerId }),
    ...(optInApple !== undefined && { opt_in_apple: optInApple }),
    ...(optInGoogle !== undefined && { opt_in_google: optInGoogle }),
  }
  // The transaction that locked the account before may have begun later than this one.
  await trx('accounts')
    .where({ id: account })
    .update({ ...columns, updated_at: trx.raw('clock_timestamp()') })
    .catch(throwCustomerProblem)
}

function throwCustomerProblem(error: unknown): never {
  if (getConstraint(error) !== 'accounts_customer') throw error
  throw createValidationProblem([
    { path: 'loyalty.customerId', code: 'unique', message: 'belongs to another account of the application' },
  ])
}

/** Gives accounts, which are locked, tiers that hold whatever their visits. */
export async function fixTiers(trx: Knex, tiers: readonly { account: string; tier: string }[]): Promise<void> {
  await trx.raw(
    `update accounts set fixed_reward_tier = given.tier, updated_at = clock_timestamp()
     from unnest(?::uuid[], ?::uuid[]) as given (account, tier) where accounts.id = given.account`,
    [tiers.map(({ account }) => account), tiers.map(({ tier }) => tier)],
  )
}

/** A tier to keep beside an account. */
export interface KeptTier {
  account: string
  tier: string | null
  dueAt: Date | null
}

/** Keeps tiers beside accounts, which are locked. That is no change of the account, so `updated_at` stays. */
export async function recordTiers(trx: Knex, tiers: readonly KeptTier[]): Promise<void> {
  if (tiers.length === 0) return
  await trx.raw(
    `update accounts set reward_tier = kept.tier, tier_due_at = kept.due_at
     from unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) as kept (account, tier, due_at) where accounts.id = kept.account`,
    [
      tiers.map(({ account }) => account),
      tiers.map(({ tier }) => tier),
      tiers.map(({ dueAt }) => dueAt?.toISOString() ?? null),
    ] as Knex.RawBinding[],
  )
}

/** Lists accounts whose tiers are to be looked at again because time has passed, the longest overdue first. */
export async function listDueAccounts(db: Knex, limit: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    'select id from accounts where tier_due_at < now() order by tier_due_at limit ?',
    [limit],
  )
  return rows.map(({ id }) => id)
}

/** A place among the accounts of an application, in the order of their creation. */
export interface AccountPlace {
  at: string
  id: string
}

/** Lists the next accounts of an application behind a place. */
export async function listAccountsBehind(
  db: Knex,
  application: string,
  { at, id }: AccountPlace,
  limit: number,
): Promise<AccountPlace[]> {
  const { rows } = await db.raw<{ rows: AccountPlace[] }>(
    `select id, created_at::text as at from accounts
     where application = ? and user_id is not null and (created_at, id) > (?::timestamptz, ?::uuid)
     order by created_at, id limit ?`,
    [application, at, id, limit],
  )
  return rows
}

/** Counts the accounts that a tier is kept beside. */
export async function countTierAccounts(db: Knex, application: string, tier: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::int as count from accounts where application = ? and reward_tier = ? and user_id is not null`,
    [application, tier],
  )
  return rows[0].count
}

/** Checks whether an account has a tier that holds whatever its visits. */
export async function isTierFixed(db: Knex, tier: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ found: boolean }] }>(
    'select exists (select from accounts where fixed_reward_tier = ? and user_id is not null) as found',
    [tier],
  )
  return rows[0].found
}

/**
 * Gives an account the identifier of a customer, unless it has one, or another account of the application has it.
 * @returns whether it has got it
 */
export async function setFreeCustomer(
  trx: Knex,
  { account, application, customer }: { account: string; application: string; customer: string },
): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update accounts set customer_id = ?, updated_at = now() where id = ? and customer_id is null
       and not exists (select from accounts other where other.application = ? and other.customer_id = ?)`,
    [customer, account, application, customer],
  )
  return rowCount > 0
}
