import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import { listSubscriptions } from './client.ts'
import { applyRead, beginRead } from './customers.ts'
import { applyDecision, decidePlan, hasLiveSubscription } from './subscriptions.ts'

/** Why an event changes nothing. */
export const skipReasons = ['repeated', 'type', 'customer'] as const
export type SkipReason = (typeof skipReasons)[number]

/** An event, as far as it is read. What it says of a subscription is not: events come in any order. */
export interface BillingEvent {
  id: string
  type: string
  /** The customer that it is about; null if it names none. */
  customer: string | null
}

const subscriptionEvents = /^customer\.subscription\.(created|updated|deleted|paused|resumed|trial_will_end)$/

/**
 * Takes an event about a subscription once: asks the provider for the present state, which decides the plan.
 * @returns why it changes nothing, or null @throws UnavailableError if the provider does not answer; it sends the event again
 */
export async function takeEvent(context: Context, { id, type, customer }: BillingEvent): Promise<SkipReason | null> {
  const { db, settings, plans, log } = context
  if (!subscriptionEvents.test(type)) return 'type'
  if (await db('billing_events').where({ id }).first<{ id: string } | undefined>('id')) return 'repeated'
  const read = customer === null ? null : await beginRead(db, customer)
  if (customer === null || read === null) return 'customer'
  const subscriptions = await listSubscriptions(settings, customer)
  const decision = decidePlan(plans, subscriptions)
  if (!decision) log.warn({ part: 'billing', event: id }, 'a subscription is for no plan of this platform')
  return db.transaction(async (trx) => {
    if (!(await insertEvent(trx, id, type))) return 'repeated'
    const row = await applyRead(trx, customer, read)
    if (row && decision)
      await applyDecision(trx, context, row, { ...decision, isLive: hasLiveSubscription(subscriptions) })
    return null
  })
}

/** @returns whether it is new */
async function insertEvent(trx: Knex, id: string, type: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    'insert into billing_events (id, type) values (?, ?) on conflict (id) do nothing returning id',
    [id, type],
  )
  return rows.length > 0
}
