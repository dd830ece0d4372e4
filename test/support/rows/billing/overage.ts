import type { Knex } from 'knex'
import type { MeterCode } from '../../../../core/kernel/words.ts'

/** Adds units that an organization has used. @param monthsAgo 0 for this month */
export async function addUsed(
  db: Knex,
  organization: string,
  { meter, units, monthsAgo = 0 }: { meter: MeterCode; units: number; monthsAgo?: number },
): Promise<void> {
  await db.raw(
    `insert into meter_periods (organization, meter, period, used)
     values (?, ?, (date_trunc('month', now() at time zone 'utc') - ? * interval '1 month')::date, ?)
     on conflict (organization, meter, period) do update set used = meter_periods.used + excluded.used`,
    [organization, meter, monthsAgo, units],
  )
}

/** Moves the reports of an organization a day back, as if a day had begun. */
export async function beginDay(db: Knex, organization: string): Promise<void> {
  await db.raw('update billing_overages set day = day - 1 where organization = ?', [organization])
}

/** Makes the reports of an organization due. @param unclearHours since when nobody knows what became of them */
export async function makeReportsDue(db: Knex, organization: string, unclearHours = 0): Promise<void> {
  await db.raw(
    `update billing_overages set due_at = now() - interval '1 second', unclear_since = unclear_since - ? * interval '1 hour'
     where organization = ?`,
    [unclearHours, organization],
  )
}

/** Reads what became of the reports of an organization, the oldest first. */
export async function listReports(db: Knex, organization: string): Promise<{ id: string; status: string }[]> {
  return db('billing_overages').where({ organization }).orderBy('id').select('id', 'status')
}

/** Moves the time since which an organization has its plan to a month before this one. */
export async function datePlanBack(db: Knex, organization: string): Promise<void> {
  await db.raw(`update billing_customers set plan_since = plan_since - interval '40 days' where organization = ?`, [
    organization,
  ])
}
