import type { RewardTier } from './tiers.schema.ts'
import type { TierRow } from './tiers.store.ts'

/** Returns a tier as callers see it. A number holds its ratio exactly, because of the limits of `parseRatio`. */
export const presentTier = ({
  id,
  application,
  name,
  requiredVisits,
  currencyToPointRatio,
  bgImageUrl,
  createdAt,
  updatedAt,
}: TierRow): RewardTier => ({
  id,
  application,
  name,
  requiredVisits,
  currencyToPointRatio: Number(currencyToPointRatio),
  ...(bgImageUrl !== null && { bgImageUrl }),
  createdAt,
  updatedAt,
})
