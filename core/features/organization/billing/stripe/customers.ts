import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import { createCustomer } from './client.ts'

/** What is known of an organization as a customer of the provider. */
export interface CustomerRow {
  organization: string
  customer: string
  /** The plan that a subscription has last decided; null before the first. */
  plan: string | null
}

/** Finds the customer of an organization, and creates it at the first time. @throws UnavailableError */
export async function ensureCustomer({ db, settings }: Context, organization: string): Promise<string> {
  const kept = await findCustomer(db, organization)
  if (kept !== undefined) return kept
  const created = await createCustomer(settings, organization)
  await db.raw(
    'insert into billing_customers (organization, customer) values (?, ?) on conflict (organization) do nothing',
    [organization, created],
  )
  // Of two requests at the same time, the first one decided.
  const customer = await findCustomer(db, organization)
  if (customer === undefined) throw new Error('a customer was kept and is not there')
  return customer
}

async function findCustomer(db: Knex, organization: string): Promise<string | undefined> {
  const row = await db('billing_customers').where({ organization }).first<{ customer: string } | undefined>('customer')
  return row?.customer
}

/**
 * Notes that the subscriptions of a customer are about to be asked for. An answer counts unless a later asking has counted:
 * so the state at the provider wins, in whatever order its events and our answers come.
 * @returns the number of this asking, or null if the customer is not ours
 */
export async function beginRead(db: Knex, customer: string): Promise<number | null> {
  const { rows } = await db.raw<{ rows: { reads: number }[] }>(
    'update billing_customers set reads = reads + 1 where customer = ? returning reads',
    [customer],
  )
  return rows[0] ? Number(rows[0].reads) : null
}

/** Makes an asking the one that counts, and locks the customer. @returns null if a later one has counted */
export async function applyRead(trx: Knex, customer: string, read: number): Promise<CustomerRow | null> {
  const { rows } = await trx.raw<{ rows: CustomerRow[] }>(
    `update billing_customers set applied_read = :read where customer = :customer and applied_read < :read
     returning organization, customer, plan`,
    { customer, read },
  )
  return rows[0] ?? null
}

/** The SQL of the plan that a subscription had decided when the present month began. */
export const monthPlanSql = `case when plan_since < (date_trunc('month', now() at time zone 'utc') at time zone 'utc')
  then plan else coalesce(month_plan, plan) end`

/** Keeps the plan that a subscription decides from now on. */
export async function keepPlan(trx: Knex, organization: string, plan: string): Promise<void> {
  await trx.raw(
    `update billing_customers set plan = :plan, plan_since = case when plan = :plan then plan_since else now() end,
       month_plan = case when plan = :plan then month_plan else ${monthPlanSql} end,
       next_plan = null, next_plan_at = null
     where organization = :organization`,
    { organization, plan },
  )
}

/** Keeps a smaller plan for the first month that begins after what is paid has ended. @returns when it holds */
export async function keepNextPlan(
  trx: Knex,
  { organization, plan, paidUntil }: { organization: string; plan: string; paidUntil: Date },
): Promise<void> {
  await trx.raw(
    `update billing_customers set next_plan = :plan, next_plan_at = case
       when next_plan = :plan then next_plan_at
       when :paidUntil::timestamptz > now() and date_trunc('month', :paidUntil::timestamptz at time zone 'utc') = :paidUntil::timestamptz at time zone 'utc'
         then :paidUntil::timestamptz
       else (date_trunc('month', greatest(now(), :paidUntil::timestamptz) at time zone 'utc') + interval '1 month') at time zone 'utc'
     end where organization = :organization`,
    { organization, plan, paidUntil: paidUntil.toISOString() },
  )
}

/** Locks a customer whose next plan holds now. @returns null if there is none */
export async function lockDueCustomer(trx: Knex): Promise<{ organization: string; nextPlan: string } | null> {
  const { rows } = await trx.raw<{ rows: { organization: string; nextPlan: string }[] }>(
    `select organization, next_plan as "nextPlan" from billing_customers
     where next_plan is not null and next_plan_at <= now() order by next_plan_at limit 1 for update skip locked`,
  )
  return rows[0] ?? null
}
