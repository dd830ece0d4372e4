import { isDeepStrictEqual } from 'node:util'
import { UniqueViolationError } from 'objection'
import { newId } from '../../../database/model.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createSingleDryRun, formatCount, rehearse, type DryRun } from '../../../kernel/dry-run.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { countTierAccounts, isTierFixed } from '../../accounts/index.ts'
import { readApplication } from '../../applications/index.ts'
import { parseRatio } from './ratios.ts'
import { requestReview } from './reviews.ts'
import { presentTier } from './tiers.present.ts'
import type { NewRewardTier, RewardTier, RewardTierPatch } from './tiers.schema.ts'
import { deleteTierRow, findOwnTier, insertTier, updateTierRow, type TierRow } from './tiers.store.ts'

type Precondition = (representation: unknown) => void

/** Reads a tier of the caller's organization. @throws NOT_FOUND */
export async function readTier(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  id: string,
  lock?: 'forUpdate',
): Promise<TierRow> {
  const tier = await findOwnTier(trx, organization, id, lock)
  if (!tier) throw createNotFoundProblem()
  return tier
}

/**
 * Creates a tier of an application. The accounts that reach it get it chunk by chunk.
 * @throws VALIDATION_FAILED; LOYALTY_REWARD_TIER_DUPLICATE_VISITS
 * @throws NOT_FOUND for an application that does not belong to the organization
 */
export async function createTier(
  work: Work,
  caller: OrganizationCaller,
  { application, name, requiredVisits, currencyToPointRatio, bgImageUrl = null }: NewRewardTier,
): Promise<RewardTier> {
  const ratio = parseRatio(currencyToPointRatio)
  const { id: owner } = await readApplication(work, application, { lock: 'forKeyShare' })
  const { organization } = caller
  const id = newId()
  const content = { name, requiredVisits, currencyToPointRatio: ratio, bgImageUrl }
  await awaitFreeVisits(insertTier(work.trx, { id, organization, application: owner, ...content }))
  await requestTierReview(work, { organization, application: owner })
  return presentTier(await readTier(work, caller, id))
}

const requestTierReview = (
  { trx, context }: Work,
  { organization, application }: Pick<TierRow, 'organization' | 'application'>,
): Promise<void> => requestReview(trx, context, { organization, application, reason: 'tier' })

/** Waits for a statement that may repeat the visits of another tier. @throws LOYALTY_REWARD_TIER_DUPLICATE_VISITS */
async function awaitFreeVisits(statement: PromiseLike<unknown>): Promise<void> {
  try {
    await statement
  } catch (cause) {
    if (!(cause instanceof UniqueViolationError) || cause.constraint !== 'loyalty_tiers_visits') throw cause
    throw createProblem(
      'LOYALTY_REWARD_TIER_DUPLICATE_VISITS',
      'Another tier of the application needs as many visits.',
      {
        path: 'requiredVisits',
      },
    )
  }
}

/**
 * Applies a merge patch to a tier. If it needs other visits, its accounts follow chunk by chunk.
 * @throws VALIDATION_FAILED; NOT_FOUND; PRECONDITION_FAILED; LOYALTY_REWARD_TIER_DUPLICATE_VISITS
 */
export async function updateTier(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  { patch, precondition }: { patch: RewardTierPatch; precondition: Precondition },
): Promise<RewardTier> {
  const { currencyToPointRatio, ...changes } = patch
  const ratio = currencyToPointRatio === undefined ? undefined : parseRatio(currencyToPointRatio)
  const tier = await readTier(work, caller, id, 'forUpdate')
  const shown = presentTier(tier)
  precondition(shown)
  const { name, requiredVisits, bgImageUrl } = tier
  const before = { name, requiredVisits, bgImageUrl, currencyToPointRatio: parseRatio(tier.currencyToPointRatio) }
  const after = { ...before, ...changes, ...(ratio !== undefined && { currencyToPointRatio: ratio }) }
  if (isDeepStrictEqual(before, after)) return shown
  await awaitFreeVisits(updateTierRow(work.trx, id, after))
  if (after.requiredVisits !== requiredVisits) await requestTierReview(work, tier)
  return presentTier(await readTier(work, caller, id))
}

/**
 * Deletes a tier. Its accounts get another one chunk by chunk.
 * @returns the tier as it was
 * @throws NOT_FOUND; PRECONDITION_FAILED
 * @throws LOYALTY_REWARD_TIER_IN_USE while it is fixed for an account
 */
export async function deleteTier(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<RewardTier> {
  const tier = await readTier(work, caller, id, 'forUpdate')
  const shown = presentTier(tier)
  precondition(shown)
  if (await isTierFixed(work.trx, id))
    throw createProblem('LOYALTY_REWARD_TIER_IN_USE', 'An account has this tier fixed: give it another one first.')
  await deleteTierRow(work.trx, id)
  await requestTierReview(work, tier)
  return shown
}

/** Tells what deleting a tier would do. @throws as `deleteTier` */
export async function previewTierDeletion(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<DryRun> {
  const { name, application } = await rehearse(work, (rehearsal) => deleteTier(rehearsal, caller, id, precondition))
  const count = await countTierAccounts(work.trx, application, id)
  return createSingleDryRun({ id, name }, count > 0 ? [`${formatCount(count, 'account')} will lose it.`] : [])
}
