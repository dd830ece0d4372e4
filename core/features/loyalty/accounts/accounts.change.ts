import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { changeProfile, lockProfiles, readOwnAccounts, type ProfileChange } from '../../accounts/index.ts'
import { recordEvent } from '../../events/index.ts'
import { countOrdersOfCustomer, lockNewCustomer, type NewCustomer } from '../pos/index.ts'
import { findTier } from '../tiers/index.ts'
import { adjustVisits, lockVisits, rankAccounts } from '../visits/index.ts'
import { readAccount } from './accounts.reads.ts'
import type { Account, AccountPatch } from './accounts.schema.ts'

/**
 * Applies a merge patch to an account of the caller's organization, with one event if anything changes. The number of
 * visits is corrected by an entry. The orders that waited for the customer whom the account gets are counted now.
 * @throws NOT_FOUND; PRECONDITION_FAILED
 * @throws ACCOUNT_REWARD_TIER_NOT_FOUND for a tier that is none of the account's application
 * @throws VALIDATION_FAILED for the customer of another account
 * @throws QUOTA_EXCEEDED if the visits make the account one past a hard limit
 */
export async function updateAccount(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  { patch: { loyalty = {} }, precondition }: { patch: AccountPatch; precondition: (representation: unknown) => void },
): Promise<Account> {
  const { trx } = work
  const { organization } = caller
  const [row] = await readOwnAccounts(trx, organization, [id])
  if (!row) throw createNotFoundProblem()
  const place = { organization, application: row.application, account: id }
  const { visits, customerId } = loyalty
  const newCustomer: NewCustomer | null =
    customerId && customerId !== row.customer_id
      ? { organization, application: row.application, customer: customerId }
      : null
  if (newCustomer) await lockNewCustomer(trx, newCustomer)
  const locked = visits === undefined ? null : await lockVisits(trx, place)
  if ((await lockProfiles(trx, [id])).length === 0) throw createNotFoundProblem()
  const account = await readAccount(work, caller, id)
  precondition(account)
  const change = findChange(account, loyalty)
  if (change.fixedTier) await assertTier(trx, row.application, change.fixedTier)
  const hasChange = Object.keys(change).length > 0
  if (hasChange) await changeProfile(trx, id, change)
  if (newCustomer) await countOrdersOfCustomer(trx, work.context, newCustomer)
  const isAdjusted = locked !== null && visits !== undefined && (await adjustVisits(trx, work.context, locked, visits))
  if (change.fixedTier !== undefined || isAdjusted)
    await rankAccounts(trx, [id], change.fixedTier === undefined ? 'adjust' : 'fixed')
  if (!hasChange && !isAdjusted) return account
  await recordEvent(trx, { organization, application: row.application, subject: 'wallet', type: 'update' })
  return readAccount(work, caller, id)
}

/** Returns the members of the profile that a patch changes. */
function findChange(
  { loyalty }: Account,
  {
    fixedRewardTier = loyalty.fixedRewardTier,
    customerId = loyalty.customerId,
    optIn,
  }: AccountPatch['loyalty'] & object,
): ProfileChange {
  const { apple = loyalty.optIn.apple, google = loyalty.optIn.google } = optIn ?? {}
  return {
    ...(fixedRewardTier !== loyalty.fixedRewardTier && { fixedTier: fixedRewardTier }),
    ...(customerId !== loyalty.customerId && { customerId }),
    ...(apple !== loyalty.optIn.apple && { optInApple: apple }),
    ...(google !== loyalty.optIn.google && { optInGoogle: google }),
  }
}

async function assertTier(trx: Knex, application: string, tier: string): Promise<void> {
  if (await findTier(trx, application, tier)) return
  throw createProblem('ACCOUNT_REWARD_TIER_NOT_FOUND', 'The application has no such tier.', {
    path: 'loyalty.fixedRewardTier',
  })
}
