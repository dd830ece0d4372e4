import type { Knex } from 'knex'
import { lockByName } from '../../../../database/lock.ts'
import { declareJob } from '../../../../kernel/job.ts'
import { hitFaultPoint } from '../../../../kernel/process/fault-points.ts'
import type { Context } from '../../../../kernel/work.ts'
import { readOwnAccounts, type AccountRow } from '../../../accounts/index.ts'
import { findApplication } from '../../../applications/index.ts'
import { earnPoints, takeBackPoints, type Earned } from '../../earning/index.ts'
import { getLocalDay, readPointsOfSale } from '../../points-of-sale/index.ts'
import { createTarget, findCustomerAccount, lockCustomer, nameCustomer, type Customer } from './customers.ts'
import {
  markAwaiting,
  markEarned,
  markReversed,
  markSkipped,
  readPosOrderRow,
  type PosOrderRow,
} from './orders.store.ts'

/** Works off orders of a restaurant: each gives its points once, and its refunds take them back. */
export const earnJob = declareJob<{ orders: readonly string[] }>({
  type: 'earn',
  permission: 'loyalty:read',
  retryPermission: 'loyalty:update',
  maxAttempts: 20,
  async run({ payload: { orders }, completed }, { context, step }) {
    // What an earlier run counted is not counted again; an order that is worked off again stays as it is.
    for (const id of orders.slice(completed))
      await step(async (trx, recordProgress) => {
        await workOffOrder(trx, context, id)
        hitFaultPoint('earn.storing', { order: id })
        recordProgress({ completed: 1 })
      })
    return { status: 'completed', result: { orders: orders.length } }
  },
})

/**
 * Works off an order as far as it can be: it may wait for its customer, and refunds may follow. Its row is written at the
 * end, because balances and accounts are locked before.
 */
async function workOffOrder(trx: Knex, context: Context, id: string): Promise<void> {
  await lockByName(trx, `pos order ${id}`)
  const order = await readPosOrderRow(trx, id)
  if (order?.status === 'received' || order?.status === 'awaiting') await earn(trx, context, order)
  else if (order?.status === 'earned') await takeBack(trx, context, order)
}

/** Gives the customer of an order its points, if the customer has an account, and takes back what was refunded already. */
async function earn(trx: Knex, context: Context, order: PosOrderRow): Promise<void> {
  const { id, application: applicationId } = order
  const application = await findApplication(trx, applicationId)
  if (!application) return
  const who: Customer = { ...order, network: application.defaultNetwork }
  await lockCustomer(trx, who)
  const account = await findCustomerAccount(trx, who)
  if (!account) return markAwaiting(trx, id)
  const earned = await earnOrder(trx, context, order, account)
  if (earned.status === 'skipped') {
    await nameCustomer(trx, context, account, who)
    return markSkipped(trx, id, { account: account.id, reason: earned.reason })
  }
  const result = { account: account.id, points: earned.points, loyaltyOrder: earned.order }
  const { reversed } = await reverse(trx, context, { ...order, ...result, points: String(earned.points) })
  await nameCustomer(trx, context, account, who)
  await markEarned(trx, id, { ...result, reversed })
}

async function earnOrder(trx: Knex, context: Context, order: PosOrderRow, account: AccountRow): Promise<Earned> {
  const { integration, orderId, total, currency, items, closedAt, pointOfSale, restaurant } = order
  return earnPoints(trx, context, {
    target: createTarget(account),
    key: `${integration} ${orderId}`,
    externalId: orderId,
    total,
    currency,
    items,
    closedAt,
    pointOfSale,
    place: pointOfSale ?? restaurant,
    localDay: getLocalDay(closedAt, await findTimeZone(trx, order)),
  })
}

/** The time zone by which the days of a place begin; UTC for a restaurant that is no point of sale. */
async function findTimeZone(trx: Knex, { organization, pointOfSale }: PosOrderRow): Promise<string> {
  const [found] = pointOfSale === null ? [] : await readPointsOfSale(trx, organization, [pointOfSale])
  return found?.timeZone ?? 'UTC'
}

/** Takes back what was refunded of an order since it was worked off last. */
async function takeBack(trx: Knex, context: Context, order: PosOrderRow): Promise<void> {
  const { reversed } = await reverse(trx, context, order)
  if (reversed !== order.reversed) await markReversed(trx, order.id, reversed)
}

/** @returns the refunded total that has been worked off */
async function reverse(trx: Knex, context: Context, order: PosOrderRow): Promise<{ reversed: string }> {
  const { organization, orderId, loyaltyOrder, points, total, currency, refunded, reversed } = order
  if (refunded === reversed) return { reversed }
  const [account] = await readOwnAccounts(trx, organization, [order.account!])
  if (account && loyaltyOrder !== null)
    await takeBackPoints(trx, context, {
      target: createTarget(account),
      order: loyaltyOrder,
      externalId: orderId,
      points: BigInt(points),
      total,
      currency,
      before: reversed,
      refunded,
      occurredAt: new Date(),
    })
  return { reversed: refunded }
}
