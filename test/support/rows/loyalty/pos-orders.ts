import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** What is kept of an order that a POS reported. */
export interface PosOrderState {
  status: string
  reason: string | null
  customer: string
  email: string | null
  phone: string | null
}

/** Reads an order that a POS reported, by the identifier that the POS gave it; undefined if it is not kept. */
export async function readPosOrderState(db: Knex, orderId: string): Promise<PosOrderState | undefined> {
  const { rows } = await db.raw<{ rows: PosOrderState[] }>(
    `select status, skip_reason as reason, customer, email, phone_number as phone from pos_orders where order_id = ?`,
    [orderId],
  )
  return rows[0]
}

/** Makes an order look as if it had been reported so many days ago. */
export async function ageOrder(db: Knex, orderId: string, days: number): Promise<void> {
  await db.raw('update pos_orders set created_at = created_at - make_interval(days => ?) where order_id = ?', [
    days,
    orderId,
  ])
}

interface WaitingOrder {
  organization: string
  application: string
  customer: string
  email: string
}

/** Stores an order that waits for its customer, with an integration that reported it. @returns what the POS calls it */
export async function insertWaitingOrder(
  db: Knex,
  { organization, application, customer, email }: WaitingOrder,
): Promise<string> {
  const [integration, orderId] = [v7(), v7()]
  await db('pos_integrations').insert({ id: integration, organization })
  await db('pos_orders').insert({
    id: v7(),
    organization,
    integration,
    order_id: orderId,
    restaurant: 'R-1',
    application,
    customer,
    email,
    total: '10.00',
    currency: 'EUR',
    closed_at: db.fn.now(),
    status: 'awaiting',
  })
  return orderId
}
