import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import { findPlan, setPlan } from '../../../../meters/index.ts'
import { recordAudit } from '../../../audit/index.ts'
import type { PlanEntry } from '../../plans.schema.ts'
import type { Subscription } from './client.ts'
import { keepNextPlan, keepPlan, lockDueCustomer, type CustomerRow } from './customers.ts'

/** States in which a subscription gives its plan. Somebody who is late has it while the provider asks again. */
const liveStatuses = ['active', 'trialing', 'past_due']

/** What the subscriptions of a customer come to. */
export interface PlanDecision {
  plan: string
  /** The end of what is paid. */
  paidUntil: Date
  /** Whether a smaller plan holds at once, because nothing was paid. */
  isUnpaid: boolean
}

/**
 * Decides the plan of a customer: the largest one among those of live subscriptions, else the first of all. Plans stand
 * in their file from the smallest to the largest, and a price has the id of its plan as its lookup key.
 * @returns null if a live subscription is for nothing that we know
 */
export function decidePlan(plans: readonly PlanEntry[], subscriptions: readonly Subscription[]): PlanDecision | null {
  const live = subscriptions.filter(({ status }) => liveStatuses.includes(status))
  const last = subscriptions.toSorted((a, b) => a.periodEnd.getTime() - b.periodEnd.getTime()).at(-1)
  const paidUntil = last?.periodEnd ?? new Date(0)
  if (live.length === 0) {
    const [first] = plans
    return first ? { plan: first.id, paidUntil, isUnpaid: last?.isUnpaid ?? false } : null
  }
  const keys = new Set(live.flatMap(({ lookupKeys }) => lookupKeys))
  const plan = plans.findLast(({ id }) => keys.has(id))
  return plan ? { plan: plan.id, paidUntil, isUnpaid: false } : null
}

/**
 * Carries out a decision: a larger plan counts at once, a smaller one from the first month after what is paid, or at once
 * if nothing was paid. Somebody who has never had a subscription keeps the plan that they have.
 */
export async function applyDecision(
  trx: Knex,
  context: Context,
  { organization, plan: present }: CustomerRow,
  { plan, paidUntil, isUnpaid, isLive }: PlanDecision & { isLive: boolean },
): Promise<void> {
  if (present === null && !isLive) return
  const rank = (id: string | null) => context.plans.findIndex((one) => one.id === id)
  if (present !== null && rank(plan) < rank(present) && !isUnpaid)
    return keepNextPlan(trx, { organization, plan, paidUntil })
  await putOnPlan(trx, organization, plan)
}

async function putOnPlan(trx: Knex, organization: string, plan: string): Promise<void> {
  await keepPlan(trx, organization, plan)
  if ((await findPlan(trx, organization)) === plan) return
  await setPlan(trx, organization, plan)
  await recordAudit(trx, { actor: 'stripe', action: 'plan.set', subject: organization, details: { plan } })
}

/** Puts customers on the smaller plans that hold from this month. @returns how many */
export async function applyDuePlans({ db, plans }: Context): Promise<number> {
  for (let applied = 0; ; applied++) {
    const isDone = await db.transaction(async (trx) => {
      const due = await lockDueCustomer(trx)
      if (!due) return true
      const plan = plans.find(({ id }) => id === due.nextPlan) ?? plans[0]
      if (plan) await putOnPlan(trx, due.organization, plan.id)
      return false
    })
    if (isDone) return applied
  }
}

/** Checks whether any subscription gives a plan. */
export const hasLiveSubscription = (subscriptions: readonly Subscription[]): boolean =>
  subscriptions.some(({ status }) => liveStatuses.includes(status))
