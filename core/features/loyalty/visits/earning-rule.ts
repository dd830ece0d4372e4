import type { Knex } from 'knex'
import { readAnyApplication } from '../../applications/index.ts'
import { formatRatio } from '../tiers/index.ts'
import type { EarningRule, PointsTarget } from '../posting/index.ts'
import { readRank } from './ranks.ts'

/**
 * Reads the rule by which an account earns points now: the ratio of its effective tier, else of its application; null if
 * neither has one.
 * @throws NOT_FOUND if the application does not exist
 */
export async function readEarningRule(
  trx: Knex,
  { application, account }: Pick<PointsTarget, 'application' | 'account'>,
): Promise<EarningRule | null> {
  const { tier } = await readRank(trx, account)
  const { currency = null, currencyToPointRatio } = (await readAnyApplication(trx, application)).loyaltySettings
  if (tier) return { ratio: formatRatio(tier.currencyToPointRatio), source: 'tier', tier: tier.id, currency }
  if (currencyToPointRatio === undefined) return null
  return { ratio: formatRatio(currencyToPointRatio), source: 'application', tier: null, currency }
}
