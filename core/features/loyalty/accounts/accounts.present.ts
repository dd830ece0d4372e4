import type { Knex } from 'knex'
import { formatAccountUrl } from '../../../chains/networks.ts'
import type { AccountRow } from '../../accounts/index.ts'
import { readDuePoints } from '../posting/index.ts'
import { presentTier, readTiers, type TierRow } from '../tiers/index.ts'
import { findRanks } from '../visits/index.ts'
import type { Account } from './accounts.schema.ts'

/** Returns an account as its organization sees it. @param tier the effective one */
function presentAccount(row: AccountRow, tier: TierRow | null): Account {
  const explorerUrl = formatAccountUrl(row.network, row.address)
  return {
    id: row.id,
    application: { id: row.application, name: row.application_name },
    network: row.network,
    address: row.address,
    ...(explorerUrl !== undefined && { explorerUrl }),
    user: presentUser(row),
    loyalty: {
      optimisticBalance: row.points,
      settledBalance: row.points_settled,
      pending: row.points_pending,
      visits: row.visits,
      fixedRewardTier: row.fixed_reward_tier,
      rewardTier: tier && presentTier(tier),
      customerId: row.customer_id,
      optIn: { apple: row.opt_in_apple, google: row.opt_in_google },
    },
    dpp: {
      isActive: row.passport_count > 0,
      passportCount: row.passport_count,
      lastActivityAt: row.last_activity_at?.toISOString() ?? null,
    },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/**
 * Presents accounts with the tiers that are kept beside them, which are read in one query. An account whose tier was
 * deleted a moment ago shows the one that it has now.
 */
export async function presentAccounts(db: Knex, rows: readonly AccountRow[]): Promise<Account[]> {
  const kept = [...new Set(rows.flatMap(({ reward_tier: tier }) => tier ?? []))]
  const tiers = new Map((await readTiers(db, kept)).map((tier) => [tier.id, tier]))
  const lost = rows.filter(({ reward_tier: tier }) => tier !== null && !tiers.has(tier))
  const ranks = await findRanks(db, lost.map(toRanked))
  return rows.map((row) =>
    presentAccount(
      row,
      ranks.get(row.id)?.tier ?? (row.reward_tier === null ? null : (tiers.get(row.reward_tier) ?? null)),
    ),
  )
}

/** Presents accounts with the tiers and the points that they have at this moment. */
export async function presentExactly(db: Knex, rows: readonly AccountRow[]): Promise<Account[]> {
  const ranks = await findRanks(db, rows.map(toRanked))
  return (await addDuePoints(db, rows)).map((row) => presentAccount(row, ranks.get(row.id)?.tier ?? null))
}

/** Shows what became active or expired since the sweep looked: nobody is shown points that cannot be spent. */
async function addDuePoints(db: Knex, rows: readonly AccountRow[]): Promise<AccountRow[]> {
  const due = await readDuePoints(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const balance = due.get(row.id)
    return balance ? { ...row, points: String(balance.amount), points_pending: String(balance.pending) } : row
  })
}

const toRanked = ({ id, application, fixed_reward_tier: fixedTier }: AccountRow) => ({ id, application, fixedTier })

const presentUser = (row: AccountRow): Account['user'] => ({
  id: row.user_id,
  name: row.name,
  email: row.email,
  emailVerified: row.email !== null,
  phoneNumber: row.phone_number,
  phoneNumberVerified: row.phone_number !== null,
  birthDate: row.birth_date,
  preferredLocale: row.locale,
})
