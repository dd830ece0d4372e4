import type { Knex } from 'knex'
import { newId } from '../../../../database/model.ts'
import type { OrganizationErasure } from '../../../area.ts'
import { posOrderStatus } from './orders.machine.ts'

/** An order that a restaurant reported. Amounts are decimal text. */
export interface PosOrderRow {
  id: string
  organization: string
  orderId: string
  integration: string
  restaurant: string
  application: string
  pointOfSale: string | null
  customer: string
  email: string | null
  phoneNumber: string | null
  total: string
  currency: string
  items: { sku?: string; name: string; quantity: number; unitPrice: string }[]
  closedAt: Date
  refunded: string
  reversed: string
  status: (typeof posOrderStatus.states)[number]
  account: string | null
  loyaltyOrder: string | null
  points: string
}

/** What is kept of an order when it is first reported. */
export type NewPosOrder = Pick<
  PosOrderRow,
  | 'organization'
  | 'orderId'
  | 'integration'
  | 'restaurant'
  | 'application'
  | 'pointOfSale'
  | 'customer'
  | 'email'
  | 'phoneNumber'
  | 'total'
  | 'currency'
  | 'items'
  | 'closedAt'
>

/** An order that is to be worked off. */
export interface ChangedOrder {
  id: string
  organization: string
  integration: string
  orderId: string
}

const changedSql = 'id, organization, integration, order_id as "orderId"'

/**
 * Keeps orders, each once for ever. One that is kept already is neither changed nor locked, because it may be worked off at
 * this moment. @returns those that are new
 */
export async function keepOrders(trx: Knex, orders: readonly NewPosOrder[]): Promise<ChangedOrder[]> {
  if (orders.length === 0) return []
  const values = orders.map((order) => ({ id: newId(), ...order, closedAt: order.closedAt.toISOString() }))
  const { rows } = await trx.raw<{ rows: ChangedOrder[] }>(
    `insert into pos_orders (id, organization, integration, order_id, restaurant, application, point_of_sale, customer,
       email, phone_number, total, currency, items, closed_at, ${posOrderStatus.column})
     select id, organization, integration, "orderId", restaurant, application, "pointOfSale", customer, email,
       "phoneNumber", total, currency, items, "closedAt", ${posOrderStatus.target('receive')}
     from jsonb_to_recordset(?::jsonb) as given (id uuid, organization uuid, integration uuid, "orderId" text,
       restaurant text, application uuid, "pointOfSale" uuid, customer text, email text, "phoneNumber" text,
       total numeric, currency text, items jsonb, "closedAt" timestamptz)
     order by integration, "orderId"
     on conflict (integration, order_id) do nothing
     returning ${changedSql}`,
    [JSON.stringify(values)],
  )
  return rows
}

/** Raises the refunded totals of orders that are kept. @returns those of which more is refunded than was known */
export async function raiseRefunds(
  trx: Knex,
  refunds: readonly Pick<PosOrderRow, 'integration' | 'orderId' | 'refunded'>[],
): Promise<ChangedOrder[]> {
  const { rows } = await trx.raw<{ rows: ChangedOrder[] }>(
    `with given as (
       select integration, order_id, max(refunded) as refunded
       from unnest(?::uuid[], ?::text[], ?::numeric[]) as given (integration, order_id, refunded)
       where refunded > 0 group by integration, order_id),
     locked as (
       select o.id, given.refunded from pos_orders o join given using (integration, order_id)
       where o.refunded < given.refunded order by o.integration, o.order_id for update of o)
     update pos_orders set refunded = greatest(pos_orders.refunded, locked.refunded), updated_at = now()
     from locked where pos_orders.id = locked.id
     returning pos_orders.id, organization, integration, order_id as "orderId"`,
    [
      refunds.map(({ integration }) => integration),
      refunds.map(({ orderId }) => orderId),
      refunds.map(({ refunded }) => refunded),
    ],
  )
  return rows
}

const rowSql = `id, organization, order_id as "orderId", integration, restaurant, application, point_of_sale as "pointOfSale",
  customer, email, phone_number as "phoneNumber", total::text as total, currency, items, closed_at as "closedAt",
  refunded::text as refunded, reversed::text as reversed, status, account, loyalty_order as "loyaltyOrder",
  points::text as points from pos_orders`

/** Reads an order, or undefined if there is none. */
export async function readPosOrderRow(db: Knex, id: string): Promise<PosOrderRow | undefined> {
  const { rows } = await db.raw<{ rows: PosOrderRow[] }>(`select ${rowSql} where id = ?`, [id])
  return rows[0]
}

/** Notes that an order, which is being worked off, waits for its customer. */
export async function markAwaiting(trx: Knex, id: string): Promise<void> {
  await trx.raw(`update pos_orders set ${posOrderStatus.set('wait')}, updated_at = now() where id = ?`, [id])
}

/** Notes that an order, which is being worked off, earns nothing. The contacts of its customer are of no more use. */
export async function markSkipped(
  trx: Knex,
  id: string,
  { account, reason }: { account: string; reason: string },
): Promise<void> {
  await trx.raw(
    `update pos_orders set ${posOrderStatus.set('skip')}, skip_reason = ?, account = ?, email = null, phone_number = null,
       updated_at = now() where id = ?`,
    [reason, account, id],
  )
}

/** Notes what an order, which is being worked off, has earned, and how much of its refunds was taken back. The contacts of its customer are of no more use. */
export async function markEarned(
  trx: Knex,
  id: string,
  {
    account,
    points,
    loyaltyOrder,
    reversed,
  }: { account: string; points: bigint; loyaltyOrder: string | null; reversed: string },
): Promise<void> {
  await trx.raw(
    `update pos_orders set ${posOrderStatus.set('earn')}, account = ?, points = ?, loyalty_order = ?, reversed = ?,
       email = null, phone_number = null, updated_at = now() where id = ?`,
    [account, String(points), loyaltyOrder, reversed, id] as Knex.RawBinding[],
  )
}

/** Notes how much of the refunds of an order, which is being worked off, has been worked off. */
export async function markReversed(trx: Knex, id: string, reversed: string): Promise<void> {
  await trx.raw('update pos_orders set reversed = ?, updated_at = now() where id = ?', [reversed, id])
}

/** Lists orders that wait for somebody with one of these names, the oldest first. */
export async function listAwaiting(
  db: Knex,
  {
    application,
    customer,
    email,
    phoneNumber,
  }: { application: string; customer: string | null; email: string | null; phoneNumber: string | null },
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from pos_orders
     where application = ? and status = 'awaiting' and (customer = ? or email = ? or phone_number = ?)
     order by closed_at, id`,
    [application, customer, email, phoneNumber] as Knex.RawBinding[],
  )
  return rows.map(({ id }) => id)
}

/** Removes what names the customer from the orders of an account. */
export async function forgetCustomer(trx: Knex, account: string): Promise<void> {
  await trx.raw(
    `update pos_orders set customer = '', items = '[]', email = null, phone_number = null, updated_at = now()
     where account = ?`,
    [account],
  )
}

/**
 * Removes the contacts of orders that were reported so many days ago and still wait. They wait on for an account with their
 * customer. Orders that others have locked are left to the next time. @returns how many, at most `limit`
 */
export async function deleteOldContacts(db: Knex, { days, limit }: { days: number; limit: number }): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update pos_orders set email = null, phone_number = null, updated_at = now()
     where id = any(array(
       select id from pos_orders
       where (email is not null or phone_number is not null) and status = 'awaiting'
         and created_at < now() - make_interval(days => ?)
       limit ? for update skip locked))`,
    [days, limit],
  )
  return rowCount
}

/** Removes what names customers from the orders of a deleted organization. */
export const eraseCustomers: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `update pos_orders set customer = '', items = '[]', email = null, phone_number = null, updated_at = now()
       where id = any(array(
         select id from pos_orders where integration in (select id from pos_integrations where organization = ?)
           and (customer <> '' or items <> '[]' or email is not null or phone_number is not null)
         limit ?))`,
      [organization, limit],
    )
    return rowCount
  })
