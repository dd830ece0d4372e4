import type { Context } from '../../../../kernel/work.ts'
import { startRepetition } from '../../../../queue/upkeep/repeat.ts'
import { findIntegration, recordWatermark, takeDueRestaurants, type DueRestaurant } from '../integrations.store.ts'
import {
  PosAwayError,
  PosRefusalError,
  readClosedOrders,
  type ClosedOrderPage,
  type PosAddress,
  type UnreadableOrder,
} from '../pos.client.ts'
import { openPosAddress } from '../settings.ts'
import { keepNotices } from './keep.ts'

/** Interval between two looks for restaurants that are due, in milliseconds. */
const lookIntervalMs = 5_000
/** Seconds after which the orders of a restaurant are pulled again. */
const sweepSeconds = 600
/** The orders of this time before the watermark are pulled again, because a system may report late. */
const overlapMs = 60 * 60 * 1_000
/** The most restaurants that are pulled at the same time. */
const maxRestaurants = 10
/** The most pages of one pull; the next one goes on. More than the orders of an hour, which are pulled twice. */
const maxPages = 1_000

/**
 * Starts what pulls the closed orders of all restaurants, so that a notice that was lost changes nothing. Any number of
 * workers can do it.
 */
export function startPosSweeps(context: Context): { stop(): Promise<void> } {
  let isStopped = false
  const repetition = startRepetition(
    lookIntervalMs,
    () => sweep(context, () => isStopped),
    (cause) => context.log.error({ err: cause }, 'the look for orders of restaurants failed'),
  )
  return {
    stop: () => {
      isStopped = true
      return repetition.stop()
    },
  }
}

async function sweep(context: Context, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    const due = await takeDueRestaurants(context.db, maxRestaurants, sweepSeconds)
    await Promise.all(due.map((restaurant) => pullRestaurant(context, restaurant, isStopped)))
    if (due.length < maxRestaurants) return
  }
}

/** Pulls the orders of a restaurant. If that fails, it is due again later and later, and no other one is held up. */
async function pullRestaurant(context: Context, due: DueRestaurant, isStopped: () => boolean): Promise<void> {
  const { integration: id, restaurant } = due
  try {
    const integration = await findIntegration(context.db, { id })
    const pos = integration && openPosAddress(context, integration)
    if (pos) await pullOrders(context, due, pos, isStopped)
  } catch (err) {
    const isAway = err instanceof PosAwayError || err instanceof PosRefusalError
    context.log[isAway ? 'warn' : 'error']({ err, integration: id, restaurant }, 'the orders were not pulled')
  }
}

/** Pulls the orders page by page, and notes how far they are known. */
async function pullOrders(
  context: Context,
  { restaurant, integration: id, organization, watermark }: DueRestaurant,
  pos: PosAddress,
  isStopped: () => boolean,
): Promise<void> {
  const integration = { id, organization }
  const since = new Date(watermark.getTime() - overlapMs)
  let last = watermark
  let page: number | null = 1
  for (let pages = 0; page !== null && pages < maxPages && !isStopped(); pages++) {
    const { orders, unreadable, nextPage }: ClosedOrderPage = await readClosedOrders(context.outbound, pos, {
      restaurant,
      since,
      page,
    })
    for (const order of unreadable) context.log.warn({ integration: id, restaurant, order }, leftOutText(order))
    const own = orders.filter((order) => order.restaurant === restaurant)
    const notices = own.map((order) => ({ integration, order }))
    await keepNotices(context, notices)
    for (const { closedAt } of own) if (closedAt && closedAt > last) last = closedAt
    page = nextPage
  }
  // A clock of the system that is ahead does not move the watermark past orders that are still to come.
  await recordWatermark(context.db, restaurant, new Date(Math.min(last.getTime(), Date.now())))
}

const leftOutText = ({ isLeftOut }: UnreadableOrder) =>
  isLeftOut
    ? 'an order was not pulled, because it cannot be read'
    : 'items of an order cannot be read, and are left out'
