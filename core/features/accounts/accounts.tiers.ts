import type { Knex } from 'knex'

/** The number of accounts that have a tier; null: those without one. */
export interface TierCount {
  tier: string | null
  count: number
}

/** Counts the accounts of an application by the tiers that are kept beside them. */
export async function countAccountsByTier(db: Knex, application: string): Promise<TierCount[]> {
  const { rows } = await db.raw<{ rows: TierCount[] }>(
    `select reward_tier as tier, count(*)::int as count from accounts
     where application = ? and user_id is not null group by reward_tier`,
    [application],
  )
  return rows
}
