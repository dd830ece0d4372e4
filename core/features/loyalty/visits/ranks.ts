import type { Knex } from 'knex'
import type { AccountListener } from '../../area.ts'
import { findProfile, fixTiers, lockProfiles, recordTiers, type AccountProfile } from '../../accounts/index.ts'
import { findApplication, type Application } from '../../applications/index.ts'
import { readBalances, readRemainders } from '../../../ledger/index.ts'
import { insertTierChanges, listTiers, type TierReason, type TierRow } from '../tiers/index.ts'
import { findVisitsBook } from './visits.book.ts'

/** The effective tier of an account. */
export interface Rank {
  tier: TierRow | null
  /** When it falls if there is no further visit; null: not by time. */
  dueAt: Date | null
}

type Ranked = Pick<AccountProfile, 'id' | 'application' | 'fixedTier'>

const noRank: Rank = { tier: null, dueAt: null }

/**
 * Finds the effective tiers of accounts: the fixed one, else the highest whose visits the account has, within the window
 * of its application if that has one. Visits are counted from the entries of the ledger.
 */
export async function findRanks(db: Knex, accounts: readonly Ranked[]): Promise<Map<string, Rank>> {
  const ranks = new Map<string, Rank>()
  for (const [id, own] of Map.groupBy(accounts, ({ application }) => application)) {
    const tiers = await listTiers(db, id)
    const free = own.filter(({ fixedTier }) => fixedTier === null)
    const byVisits = await findRanksByVisits(db, id, { accounts: free.map((one) => one.id), tiers })
    for (const { id: account, fixedTier } of own) {
      const fixed = fixedTier === null ? undefined : tiers.find((tier) => tier.id === fixedTier)
      ranks.set(account, fixed ? { tier: fixed, dueAt: null } : (byVisits.get(account) ?? noRank))
    }
  }
  return ranks
}

interface RankedByVisits {
  accounts: readonly string[]
  /** The one that needs the most visits first. */
  tiers: readonly TierRow[]
}

async function findRanksByVisits(
  db: Knex,
  applicationId: string,
  { accounts, tiers }: RankedByVisits,
): Promise<Map<string, Rank>> {
  if (accounts.length === 0 || tiers.length === 0) return new Map()
  const book = await findVisitsBook(db, applicationId)
  const days = getWindowDays(await findApplication(db, applicationId))
  const findTier = (visits: bigint) => tiers.find(({ requiredVisits }) => requiredVisits <= visits) ?? null
  const ranks = new Map<string, Rank>(accounts.map((id) => [id, { tier: findTier(0n), dueAt: null }]))
  if (!book) return ranks
  if (days === null) {
    for (const [id, { amount }] of await readBalances(db, book.id, accounts))
      ranks.set(id, { tier: findTier(amount), dueAt: null })
    return ranks
  }
  const levels = tiers.map(({ requiredVisits }) => BigInt(requiredVisits)).filter((visits) => visits > 0n)
  for (const [id, { level, fallsAt }] of await readRemainders(db, { book: book.id, owners: accounts, days, levels }))
    ranks.set(id, { tier: findTier(level ?? 0n), dueAt: fallsAt })
  return ranks
}

const getWindowDays = (application: Application | undefined): number | null =>
  application?.loyaltySettings.visitsWindowDays ?? null

/** Reads the effective tier of an account as it is now, whatever is kept beside the account. */
export async function readRank(db: Knex, account: string): Promise<Rank> {
  const profile = await findProfile(db, account)
  return (profile && (await findRanks(db, [profile])).get(account)) ?? noRank
}

/**
 * Finds the effective tiers of accounts, keeps them beside the accounts and adds to their history what changed. Locks the
 * accounts first, so that of two transactions the later one sees what the other did.
 */
export async function rankAccounts(trx: Knex, accounts: readonly string[], reason: TierReason): Promise<void> {
  const profiles = await lockProfiles(trx, accounts)
  const ranks = await findRanks(trx, profiles)
  const found = profiles.map((profile) => {
    const { tier, dueAt } = ranks.get(profile.id) ?? noRank
    return { profile, account: profile.id, tier: tier?.id ?? null, dueAt }
  })
  await recordTiers(
    trx,
    found.filter(({ profile, tier, dueAt }) => profile.tier !== tier || profile.dueAt?.getTime() !== dueAt?.getTime()),
  )
  await insertTierChanges(
    trx,
    found
      .filter(({ profile, tier }) => profile.tier !== tier)
      .map(({ profile: { organization, tier: from }, account, tier: to }) => ({
        organization,
        account,
        from,
        to,
        reason,
      })),
  )
}

/** Gives a new account the tier that needs no visits, if there is one. */
export const rankNewAccount: AccountListener = (trx, _context, { id }) => rankAccounts(trx, [id], 'tier')

/** Gives accounts tiers of their applications that hold whatever their visits. Each account stands there once. */
export async function fixAccountTiers(trx: Knex, tiers: readonly { account: string; tier: string }[]): Promise<void> {
  if (tiers.length === 0) return
  const accounts = tiers.map(({ account }) => account)
  await lockProfiles(trx, accounts)
  await fixTiers(trx, tiers)
  await rankAccounts(trx, accounts, 'fixed')
}
