import { registry } from '../../../../core/app/registry.ts'
import {
  listTierChanges,
  readEarningRule,
  recordVisit,
  verifyPoints,
  type Visit,
} from '../../../../core/features/loyalty/index.ts'
import type { Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'

export const dayMs = 24 * 60 * 60 * 1_000

/** A time so many days ago. */
export const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs)

/** Records a visit as a point of sale does. @returns whether it counted */
export async function visit(
  { organization, application }: Shop,
  account: string,
  { place = 'till-1', occurredAt = new Date(), localDay = occurredAt.toISOString().slice(0, 10) }: Partial<Visit> = {},
): Promise<boolean> {
  const context = await getOperator()
  const made = { organization, application, account, place, localDay, occurredAt }
  return context.db.transaction((trx) => recordVisit(trx, context, made))
}

/** The rule by which an account earns points now. */
export async function readRule({ application }: Shop, account: string) {
  const { db } = await getOperator()
  return db.transaction((trx) => readEarningRule(trx, { application, account }))
}

/** The changes of an account's tier, the oldest first: `Silver > Gold (visit)`. */
export async function readHistory({ organization }: Pick<Shop, 'organization'>, account: string): Promise<string[]> {
  const { db } = await getOperator()
  const changes = await listTierChanges(db, { organization, account, limit: 100 })
  const nameTier = (tier: { name: string | null } | null) => (tier === null ? 'none' : (tier.name ?? 'deleted'))
  return changes.toReversed().map(({ from, to, reason }) => `${nameTier(from)} > ${nameTier(to)} (${reason})`)
}

/** Replays the ledger of an organization. @returns what differs */
export const verify = async ({ organization }: Shop) =>
  (await verifyPoints((await getOperator()).db, { organization })).differences

/** Runs what the worker does every hour for visits that are too long ago. */
export async function runWindowUpkeep(): Promise<void> {
  const task = registry.upkeep.find(({ name }) => name === 'visits that leave the window')
  if (!task) throw new Error('There is no such task')
  await task.run(await getOperator())
}
