import type { Knex } from 'knex'
import { parsePhoneNumber } from '../../../../kernel/text/phone-numbers.ts'
import type { Context } from '../../../../kernel/work.ts'
import { listInactive } from '../../points-of-sale/index.ts'
import type { ClosedOrder } from '../closed-orders.ts'
import { listRestaurantsNamed, type BoundRestaurant, type Integration } from '../integrations.store.ts'
import { keepOrders, raiseRefunds, type NewPosOrder } from './orders.store.ts'
import { startWorkOff } from './earn.start.ts'

/** Why an order is not kept. */
export const skipReasons = ['status', 'no_customer', 'restaurant_not_bound', 'point_of_sale_inactive'] as const
export type KeptSkipReason = (typeof skipReasons)[number]

/** A notice of a system: an order of an integration. */
export interface Notice {
  integration: Pick<Integration, 'id' | 'organization'>
  order: ClosedOrder
}

/** Why orders are not kept, or null, in the order of their notices; and the jobs that were started. */
interface Kept {
  skipped: (KeptSkipReason | null)[]
  jobs: string[]
}

const formatKey = (integration: string, id: string) => `${integration} ${id}`

/**
 * Keeps orders that systems reported, in one transaction, and starts the work on those of which anything is new. A refund
 * of an order that is kept counts whatever the status of the order is now.
 * @returns why each is not kept, or null
 */
export async function keepNotices(context: Context, notices: readonly Notice[]): Promise<Kept['skipped']> {
  const { skipped, jobs } = await context.db.transaction((trx) => storeNotices(trx, context, notices))
  for (const job of jobs) context.queue.notifyWorker(job)
  return skipped
}

/** Rows are locked in one order. */
async function storeNotices(trx: Knex, context: Context, notices: readonly Notice[]): Promise<Kept> {
  const restaurants = await findRestaurants(trx, notices)
  const inactive = await listInactive(
    trx,
    [...restaurants.values()].flatMap(({ pointOfSale }) => pointOfSale ?? []),
  )
  const objections = notices.map((notice) => findObjection(notice, { restaurants, inactive }))
  const countable = notices.filter((_notice, at) => objections[at] === null)
  const orders = await Promise.all(countable.map((notice) => createNewOrder(notice, restaurants.get(placeOf(notice))!)))
  const made = await keepOrders(trx, orders)
  const raised = await raiseRefunds(
    trx,
    notices.map(({ integration, order }) => ({
      integration: integration.id,
      orderId: order.id,
      refunded: order.refunded,
    })),
  )
  const changed = new Map([...made, ...raised].map((row) => [row.id, row]))
  const refunded = new Set(raised.map(({ integration, orderId }) => formatKey(integration, orderId)))
  return {
    skipped: notices.map(({ integration, order }, at) =>
      refunded.has(formatKey(integration.id, order.id)) ? null : objections[at]!,
    ),
    jobs: await startAll(trx, context, [...changed.values()]),
  }
}

const placeOf = ({ integration, order }: Notice) => formatKey(integration.id, order.restaurant)

async function findRestaurants(trx: Knex, notices: readonly Notice[]): Promise<Map<string, BoundRestaurant>> {
  const named = new Set(notices.map(({ order }) => order.restaurant))
  const rows = await listRestaurantsNamed(trx, [...named])
  return new Map(rows.map((row) => [formatKey(row.integration, row.restaurant), row]))
}

function findObjection(
  notice: Notice,
  { restaurants, inactive }: { restaurants: ReadonlyMap<string, BoundRestaurant>; inactive: ReadonlySet<string> },
): KeptSkipReason | null {
  if (!notice.order.isClosed) return 'status'
  if (notice.order.customer === null) return 'no_customer'
  const restaurant = restaurants.get(placeOf(notice))
  if (!restaurant) return 'restaurant_not_bound'
  return restaurant.pointOfSale !== null && inactive.has(restaurant.pointOfSale) ? 'point_of_sale_inactive' : null
}

/** What is kept of an order that is closed and has a customer. */
async function createNewOrder(
  { integration, order }: Notice,
  { restaurant, application, pointOfSale }: BoundRestaurant,
): Promise<NewPosOrder> {
  const { id, customer, total, currency, items, closedAt } = order
  const phone = customer!.phone
  return {
    organization: integration.organization,
    orderId: id,
    integration: integration.id,
    restaurant,
    application,
    pointOfSale,
    customer: customer!.id,
    email: customer!.email,
    phoneNumber: phone === null ? null : await parsePhoneNumber(phone),
    total,
    currency,
    items,
    closedAt: closedAt ?? new Date(),
  }
}

async function startAll(
  trx: Knex,
  context: Context,
  orders: readonly { id: string; organization: string }[],
): Promise<string[]> {
  const jobs: string[] = []
  for (const [organization, own] of Map.groupBy(orders, (order) => order.organization)) {
    const ids = own.map(({ id }) => id)
    jobs.push(...(await startWorkOff(trx, context, organization, ids)))
  }
  return jobs
}
