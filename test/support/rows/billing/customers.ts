import type { Knex } from 'knex'

/** What is kept of an organization as a customer of a provider. */
export interface KeptCustomer {
  customer: string
  plan: string | null
  nextPlan: string | null
  nextPlanAt: Date | null
}

/** Reads what is kept of an organization as a customer. */
export async function readCustomer(db: Knex, organization: string): Promise<KeptCustomer | undefined> {
  return db('billing_customers')
    .where({ organization })
    .first<KeptCustomer | undefined>('customer', 'plan', 'next_plan as nextPlan', 'next_plan_at as nextPlanAt')
}

/** Moves the beginning of an organization's next plan to the past, as if the month had begun. */
export async function reachNextPlan(db: Knex, organization: string): Promise<void> {
  await db.raw(`update billing_customers set next_plan_at = now() - interval '1 second' where organization = ?`, [
    organization,
  ])
}

/** Counts the events of a provider that were taken. */
export async function countEvents(db: Knex, id: string): Promise<number> {
  const { rows } = await db.raw<{ rows: unknown[] }>('select from billing_events where id = ?', [id])
  return rows.length
}
