import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { MeterCode } from '../../../kernel/words.ts'
import type { MeterTotal } from '../../../meters/index.ts'
import { monthPlanSql } from './stripe/customers.ts'

/** A customer whose plan a subscription decides. */
export interface BilledCustomer {
  organization: string
  plan: string
  /** The plan at the beginning of this month. */
  monthPlan: string
}

/** A month by its first day, and the time that its units are charged for. */
export interface BilledMonth {
  period: string
  at: Date
}

/** Lets one process at a time write reports, until its transaction ends. */
export const lockReports = async (trx: Knex): Promise<unknown> =>
  trx.raw(`select pg_advisory_xact_lock(hashtext('billing_overages'))`)

/** Reads this month and the last one by the clock of the database. Units of the last month are charged for its last second. */
export async function readMonths(trx: Knex): Promise<{ present: BilledMonth; last: BilledMonth }> {
  const { rows } = await trx.raw<{ rows: { present: string; last: string; now: Date; end: Date }[] }>(
    `select first::date::text as present, (first - interval '1 month')::date::text as last, now() as now,
       (first - interval '1 second') at time zone 'utc' as end
     from (select date_trunc('month', now() at time zone 'utc') as first) as month`,
  )
  const [row] = rows
  if (!row) throw new Error('a query without a table had no row')
  return { present: { period: row.present, at: row.now }, last: { period: row.last, at: row.end } }
}

/** Lists the customers whose plan a subscription decides. */
export async function listBilledCustomers(trx: Knex): Promise<BilledCustomer[]> {
  const { rows } = await trx.raw<{ rows: BilledCustomer[] }>(
    `select organization, plan, ${monthPlanSql} as "monthPlan" from billing_customers where plan is not null order by organization`,
  )
  return rows
}

/** Lists what was written for a month, whatever became of it. @param period its first day */
export async function listReportedUnits(trx: Knex, period: string): Promise<MeterTotal[]> {
  const { rows } = await trx.raw<{ rows: MeterTotal[] }>(
    `select organization, meter, sum(units)::bigint as units from billing_overages
     where period = ? group by organization, meter`,
    [period],
  )
  return rows
}

/** Units past a limit that were not written yet. */
export interface NewOverage extends MeterTotal, BilledMonth {}

/** Writes a report. @returns false if there is one of this day already */
export async function insertOverage(trx: Knex, overage: NewOverage): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `insert into billing_overages (id, organization, meter, period, day, units, at)
     values (:id, :organization, :meter, :period, (now() at time zone 'utc')::date, :units, :at)
     on conflict (organization, meter, period, day) do nothing returning id`,
    { id: newId(), ...overage, at: overage.at.toISOString() },
  )
  return rows.length > 0
}

/** A report that this process sends. */
export interface DueReport {
  id: string
  organization: string
  customer: string
  meter: MeterCode
  units: number
  at: Date
  /** Since when nobody knows whether an earlier attempt was taken; null if none is in doubt. */
  before: Date | null
}

/** Seconds for which nobody else sends a report; longer than a call can take. */
const holdSeconds = 60
/** Hours for which the provider knows an identifier again, less an hour for clocks that differ. */
const knownHours = 23
/** Days after which the provider takes no report about a time, less a day. */
const takenDays = 34

/**
 * Gives up what can no longer be sent without the danger that it counts twice, and what the provider takes no more.
 * @returns what was given up
 */
export async function giveUpReports(db: Knex): Promise<{ id: string; status: string }[]> {
  const { rows } = await db.raw<{ rows: { id: string; status: string }[] }>(
    `update billing_overages set status = case when unclear_since is null then 'refused' else 'unclear' end
     where status = 'waiting' and due_at <= now()
       and (unclear_since < now() - interval '${knownHours} hours' or at < now() - interval '${takenDays} days')
     returning id, status`,
  )
  return rows
}

/** Takes reports that are due. From here on nobody knows whether they were taken, until the answer has been kept. */
export async function takeReports(db: Knex, limit: number): Promise<DueReport[]> {
  const { rows } = await db.raw<{ rows: DueReport[] }>(
    `with due as (
       select o.id, o.unclear_since as before, c.customer
       from billing_overages o join billing_customers c on c.organization = o.organization
       where o.status = 'waiting' and o.due_at <= now() order by o.due_at limit ? for update of o skip locked)
     update billing_overages o set attempts = o.attempts + 1, due_at = now() + interval '${holdSeconds} seconds',
       unclear_since = coalesce(o.unclear_since, now())
     from due where o.id = due.id
     returning o.id, o.organization, due.customer, o.meter, o.units, o.at, due.before`,
    [limit],
  )
  return rows
}

/** Keeps that a report was taken. */
export const keepSent = async (db: Knex, { id }: DueReport): Promise<unknown> =>
  db.raw(`update billing_overages set status = 'sent' where id = ? and status = 'waiting'`, [id])

/** Keeps that a report was certainly not taken this time. It is sent again after an hour. */
export const keepRefused = async (db: Knex, { id, before }: DueReport): Promise<unknown> =>
  db.raw(
    `update billing_overages set unclear_since = ?, due_at = now() + interval '1 hour' where id = ? and status = 'waiting'`,
    [before as unknown as string, id],
  )
