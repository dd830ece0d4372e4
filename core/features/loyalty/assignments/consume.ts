import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import type { AccountListener } from '../../area.ts'
import { readOwnAccounts, type AccountRow, type CountingOptions } from '../../accounts/index.ts'
import { grantPoints, type PointsGrant, type PointsTarget } from '../posting/index.ts'
import { findTier, holdTiers } from '../tiers/index.ts'
import { fixAccountTiers } from '../visits/index.ts'
import { consumeAssignments, deleteConsumed, lockPending, type KnownAssignment } from './assignments.store.ts'
import { lockContacts } from './contacts.ts'
import { takeWelcomeBonus } from './welcome.ts'

/**
 * Gives a new account its welcome bonus, and what is assigned to the contacts that its person has proven, in the
 * transaction that creates the account. An address that is not proven matches nothing. Nobody is kept from signing in
 * because the plan of the organization allows no further account.
 */
export const greetAccount: AccountListener = async (trx, context, { organization, id }) => {
  const [account] = await readOwnAccounts(trx, organization, [id])
  if (!account) throw new Error(`The new account ${id} is gone`)
  const contacts = { email: account.email, phoneNumber: account.phone_number }
  await lockContacts(trx, account, contacts)
  const assignments = await lockPending(trx, account, [contacts])
  const bonus = await takeWelcomeBonus(trx, context, account)
  const target = createTarget(account)
  const welcome: PointsGrant[] = bonus > 0n ? [{ target, kind: 'welcome', key: 'welcome', amount: bonus }] : []
  await consume(trx, context, [{ account, assignments, others: welcome }], { isForced: true })
  hitFaultPoint('gifts.given', { step: 'greet' })
}

/** Removes the assignments that a deleted account got, because they name its person. */
export const forgetConsumed: AccountListener = async (trx, _context, { id }) => deleteConsumed(trx, id)

/** What an account gets. */
export interface Consumption {
  account: AccountRow
  /** Pending and locked, the oldest first. */
  assignments: readonly KnownAssignment[]
  /** What the account gets at the same time. */
  others?: readonly PointsGrant[]
}

/**
 * Gives accounts of one application what is assigned to their people: the points, each assignment once, and the tier of the
 * newest.
 * @throws QUOTA_EXCEEDED for an account past a hard limit, unless it `isForced`
 */
export async function consume(
  trx: Knex,
  context: Context,
  consumptions: readonly Consumption[],
  options: CountingOptions = {},
): Promise<void> {
  await consumeAssignments(
    trx,
    consumptions.flatMap(({ account, assignments }) => assignments.map(({ id }) => ({ id, account: account.id }))),
  )
  await grantPoints(trx, context, consumptions.flatMap(listGrants), options)
  const tiers = consumptions.flatMap(({ account, assignments }) => {
    const tier = assignments.findLast(({ rewardTier }) => rewardTier !== null)?.rewardTier
    return tier ? [{ account, tier }] : []
  })
  const [first] = tiers
  if (first) await giveTiers(trx, first.account.application, tiers)
}

function listGrants({ account, assignments, others = [] }: Consumption): PointsGrant[] {
  const target = createTarget(account)
  const grants = assignments
    .filter(({ points }) => points !== '0')
    .map(({ id, points }): PointsGrant => ({ target, kind: 'assignment', key: id, amount: BigInt(points) }))
  return [...others, ...grants]
}

const createTarget = (account: AccountRow): PointsTarget => ({
  organization: account.organization,
  application: account.application,
  applicationName: account.application_name,
  network: account.network,
  account: account.id,
  address: account.address,
})

/** Throws unless a tier is one of the application. @throws ACCOUNT_REWARD_TIER_NOT_FOUND */
export async function assertTier(trx: Knex, application: string, tier: string): Promise<void> {
  if (await findTier(trx, application, tier)) return
  throw createProblem('ACCOUNT_REWARD_TIER_NOT_FOUND', 'The application has no such tier.', { path: 'rewardTier' })
}

/**
 * Gives accounts of one application tiers that hold whatever their visits. A tier that was deleted since it was assigned is
 * left out.
 */
async function giveTiers(
  trx: Knex,
  application: string,
  tiers: readonly { account: AccountRow; tier: string }[],
): Promise<void> {
  const held = await holdTiers(trx, application, [...new Set(tiers.map(({ tier }) => tier))])
  const known = new Set(held.map(({ id }) => id))
  await fixAccountTiers(
    trx,
    tiers.filter(({ tier }) => known.has(tier)).map(({ account, tier }) => ({ account: account.id, tier })),
  )
}
