import type { Knex } from 'knex'
import { organizationZonesSql } from '../identity/index.ts'
import { pointsBookName, visitsBookName } from '../loyalty/index.ts'
import { addActivitySql, addFiguresSql } from './days.sql.ts'

/** The entries of points and visits are what accounts do, except these kinds. */
const bookNames = [pointsBookName, visitsBookName]
const passiveKinds = ['expire']

/** A time of what was recorded: from an instant until before another one. Instants are texts. */
export interface RecordedTime {
  from: string
  until: string
}

/** Adds what was recorded in a time to the days of one organization, or of all. Each time must be added once. */
export async function addToDays(
  trx: Knex,
  { from, until }: RecordedTime,
  organization: string | null = null,
): Promise<boolean> {
  const postings = [from, until, bookNames, organization, organization]
  const events = [from, until, from, until, organization, organization]
  const { rowCount } = await trx.raw<{ rowCount: number }>(addFiguresSql, [...events, ...postings] as Knex.RawBinding[])
  const active = [...postings, passiveKinds, passiveKinds, bookNames]
  await trx.raw(addActivitySql, active as Knex.RawBinding[])
  return rowCount > 0
}

/**
 * Gives organizations that are new their time zones, and has the days of those counted again whose time zone has changed,
 * as far back as events are kept.
 */
export async function updateTimeZones(trx: Knex, eventRetentionDays: number): Promise<void> {
  await trx.raw(
    `insert into metric_organizations (organization, time_zone)
       select zone.id, zone.time_zone from (${organizationZonesSql}) zone
       where not exists (select from metric_organizations known where known.organization = zone.id)
     on conflict do nothing`,
  )
  await trx.raw(
    `update metric_organizations known set time_zone = zone.time_zone, again_from = least(known.again_from, (
       select greatest(min(day) - 1, (now() at time zone zone.time_zone)::date - ?::int) from metric_days
       where metric_days.organization = known.organization having count(*) > 0))
     from (${organizationZonesSql}) zone
     where zone.id = known.organization and zone.time_zone <> known.time_zone`,
    [eventRetentionDays - 1],
  )
}

/** Has all days counted again that are not over at a time, because the clock went back to it. */
export async function repeatDaysSince(trx: Knex, time: string): Promise<void> {
  await trx.raw(
    `update metric_organizations set again_from = least(again_from, (?::timestamptz at time zone time_zone)::date)`,
    [time],
  )
}

interface AgainRow {
  organization: string
  day: string
  from: Date
  until: Date
  is_last: boolean
}

/**
 * Counts the next day again that has to be: its rows are made anew from what was recorded until the last fold.
 * @returns whether there was one
 */
export async function repeatNextDay(trx: Knex): Promise<boolean> {
  const {
    rows: [next],
  } = await trx.raw<{ rows: AgainRow[] }>(
    `select organization, again_from::text as day, again_from::timestamp at time zone time_zone as from,
       least((again_from + 1)::timestamp at time zone time_zone, folded_until) as until,
       (again_from + 1)::timestamp at time zone time_zone > folded_until as is_last
     from metric_organizations, metric_folds where again_from is not null
     order by again_from, organization limit 1`,
  )
  if (!next) return false
  const { organization, day, from, until, is_last: isLast } = next
  await trx.raw(`delete from metric_days where organization = ? and ${isLast ? 'day >= ?' : 'day = ?'}`, [
    organization,
    day,
  ])
  if (from < until) await addToDays(trx, { from: from.toISOString(), until: until.toISOString() }, organization)
  await trx.raw(
    `update metric_organizations set again_from = ${isLast ? 'null' : 'again_from + 1'} where organization = ?`,
    [organization],
  )
  return true
}
