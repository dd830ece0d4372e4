import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { Work } from '../../../kernel/work.ts'
import { countAccountsByTier } from '../../accounts/index.ts'
import { readApplication } from '../../applications/index.ts'
import { presentTier } from './tiers.present.ts'
import type { RewardTier } from './tiers.schema.ts'
import { listTiers, TierRow } from './tiers.store.ts'
import { readTier } from './tiers.ts'

/** Reads a tier of the caller's organization as the organization sees it. @throws NOT_FOUND */
export const readShownTier = async (
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  id: string,
): Promise<RewardTier> => presentTier(await readTier(work, caller, id))

/** The tiers of an application, and where its accounts are. */
export interface TierOverview {
  /** The one that needs the fewest visits first, each with the number of accounts that have it now. */
  tiers: { tier: RewardTier; accounts: number }[]
  /** The number of accounts without a tier. */
  withoutTier: number
  /** Days that visits count; null: for ever. */
  windowDays: number | null
}

/** Reads the tiers of an application of the caller's organization with the number of their accounts. @throws NOT_FOUND */
export async function readTierOverview(work: Work, id: string): Promise<TierOverview> {
  const { loyaltySettings } = await readApplication(work, id)
  const [tiers, counts] = await Promise.all([listTiers(work.trx, id), countAccountsByTier(work.trx, id)])
  const byTier = new Map(counts.map(({ tier, count }) => [tier, count]))
  return {
    tiers: tiers.toReversed().map((row) => ({ tier: presentTier(row), accounts: byTier.get(row.id) ?? 0 })),
    withoutTier: byTier.get(null) ?? 0,
    windowDays: loyaltySettings.visitsWindowDays ?? null,
  }
}

/** The most tiers that are offered for a choice. */
const maxChoices = 1_000

/** Lists tiers for a choice, by application and visits: of the caller's organization, or of one of its applications. */
export async function listTierChoices(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  application?: string,
): Promise<{ id: string; name: string; application: string }[]> {
  const query = TierRow.query(trx).modify('ofOrganization', organization)
  if (application !== undefined) void query.where({ application })
  return query.orderBy(['application', 'required_visits']).limit(maxChoices).select('id', 'name', 'application')
}
