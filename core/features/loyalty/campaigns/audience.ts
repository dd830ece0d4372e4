import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { cardChannels, createAudienceParts, type AudienceFilter, type CardChannel } from '../../accounts/index.ts'
import { getCampaignLimits, readApplication } from '../../applications/index.ts'
import { countWithheld, getChannelCap } from '../cards/index.ts'
import { listMissingTiers, listTargetingIssues } from './campaigns.ts'
import { countRecentCampaigns } from './campaigns.store.ts'
import type { AudiencePreview, AudiencePreviewRequest, Targeting } from './targeting.schema.ts'

/** Returns which accounts a campaign is for. */
export const createAudienceFilter = (
  application: string,
  channels: readonly CardChannel[],
  { holdoutPercent: _, ...targeting }: Targeting,
): AudienceFilter => ({ application, channels, ...targeting })

/**
 * Counts the accounts of an audience, from the index alone: pages of an index that is held in memory cost no more in any
 * order, which PostgreSQL does not assume by itself.
 */
export const countAudience = (db: Knex, filter: AudienceFilter): Promise<number> =>
  db.transaction(async (trx) => {
    await trx.raw('set local random_page_cost = 1.1')
    let count = 0
    for (const { sql, bindings } of createAudienceParts(filter)) {
      const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
        `select count(*)::int as count from ${sql}`,
        bindings as Knex.RawBinding[],
      )
      count += rows[0].count
    }
    return count
  })

/** Counts whom an audience reaches now. @param cap how often a card is notified in 24 hours at most */
export async function measureAudience(db: Knex, filter: AudienceFilter, cap: number): Promise<AudiencePreview> {
  const matching = await countAudience(db, filter)
  if (cap === 0) return { matching, reachableNow: 0, withheld: matching, fullAvailabilityAt: null }
  // A card gets one notification of a campaign at most, so that few campaigns leave no card without another one.
  const least = Math.min(...filter.channels.map((channel) => getChannelCap(channel, cap)))
  const isFree = matching === 0 || (await countRecentCampaigns(db, filter.application)) < least
  const { count, freeAt } = isFree ? { count: 0, freeAt: null } : await countWithheld(db, filter, cap)
  return {
    matching,
    reachableNow: matching - count,
    withheld: count,
    fullAvailabilityAt: freeAt?.toISOString() ?? null,
  }
}

/**
 * Tells whom a campaign would reach now. Nothing is stored.
 * @throws NOT_FOUND if the organization has no such application; VALIDATION_FAILED for a targeting that contradicts
 * itself, or a tier that the application does not have
 */
export async function previewAudience(
  work: Work,
  _caller: OrganizationCaller,
  { application: id, targeting = {}, channels = [...cardChannels] }: AudiencePreviewRequest,
): Promise<AudiencePreview> {
  const application = await readApplication(work, id)
  const issues = listTargetingIssues(targeting, 'targeting')
  const missing = issues.length > 0 ? [] : await listMissingTiers(work.trx, application.id, targeting)
  if (issues.length + missing.length > 0) throw createValidationProblem([...issues, ...missing])
  const { frequencyCapPer24h } = getCampaignLimits(application)
  return measureAudience(work.trx, createAudienceFilter(application.id, channels, targeting), frequencyCapPer24h)
}
