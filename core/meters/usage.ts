import type { Knex } from 'knex'
import type { MeterCode } from '../kernel/words.ts'
import { currentPeriodSql } from './blocks.ts'
import type { MeterPeriod, PlanTable } from './types.ts'

/** What an organization has used of a meter in a month, and what processes and jobs hold of it. */
export interface MeterUsage {
  meter: MeterCode
  used: number
  /** Units of open blocks that are not used yet. */
  reserved: number
  /** Those of them that jobs hold. */
  held: number
}

/** The state of all meters of an organization. */
export interface OrganizationUsage {
  /** The plan that an operator has put it on; null for the default one. */
  plan: string | null
  /** The first day of this month and of the next one, at midnight in UTC, and the time of the database. */
  start: Date
  end: Date
  asOf: Date
  meters: readonly MeterUsage[]
}

const openBlocksSql = `
  select b.organization, b.meter, b.period, b.job is not null as is_held, b.size,
    (select coalesce(sum(u.units), 0) from meter_uses u where u.block = b.id)::bigint as used
  from meter_blocks b`

/** Reads what an organization has used in the present month, in one statement. */
export async function readUsage(db: Knex, organization: string): Promise<OrganizationUsage> {
  const {
    rows: [row],
  } = await db.raw<{ rows: (Omit<OrganizationUsage, 'meters'> & { meters: MeterUsage[] | null })[] }>(
    `with open as materialized (${openBlocksSql} where b.organization = ? and b.period = ${currentPeriodSql}),
     state as (
       select p.meter, p.used + coalesce(sum(open.used), 0)::bigint as used,
         coalesce(sum(open.size - open.used), 0)::bigint as reserved,
         coalesce(sum(open.size - open.used) filter (where open.is_held), 0)::bigint as held
       from meter_periods p left join open on open.meter = p.meter
       where p.organization = ? and p.period = ${currentPeriodSql} group by p.meter, p.used)
     select (select plan from organization_plans where organization = ?) as plan,
       ${currentPeriodSql}::timestamp at time zone 'utc' as start,
       (${currentPeriodSql} + interval '1 month') at time zone 'utc' as "end", now() as "asOf",
       (select json_agg(state) from state) as meters`,
    [organization, organization, organization],
  )
  if (!row) throw new Error('a query without a table had no row')
  return { ...row, meters: row.meters ?? [] }
}

/** The units of a meter that rows or counters have, by organization. */
export interface MeterTotal {
  organization: string
  meter: MeterCode
  units: number
}

/** Reads what the meters say that organizations have used in a month. @param period its first day */
export async function listUsed(db: Knex, period: string): Promise<MeterTotal[]> {
  const { rows } = await db.raw<{ rows: MeterTotal[] }>(
    `select p.organization, p.meter, p.used + coalesce((select sum(open.used) from (${openBlocksSql}) open
       where open.organization = p.organization and open.meter = p.meter and open.period = p.period), 0)::bigint as units
     from meter_periods p where p.period = ?`,
    [period],
  )
  return rows
}

/** Reads the meters whose leased units are not those of their open blocks. @param period the first day of a month */
export async function listWrongLeases(db: Knex, period: string): Promise<(MeterTotal & { leased: number })[]> {
  const { rows } = await db.raw<{ rows: (MeterTotal & { leased: number })[] }>(
    `select p.organization, p.meter, p.leased, coalesce(sum(b.size), 0)::bigint as units
     from meter_periods p left join meter_blocks b on (b.organization, b.meter, b.period) = (p.organization, p.meter, p.period)
     where p.period = ? group by p.organization, p.meter, p.leased having p.leased <> coalesce(sum(b.size), 0)`,
    [period],
  )
  return rows
}

/** Reads what was used for rows that are gone. @param period the first day of a month */
export async function listRemovedUnits(db: Knex, period: string): Promise<MeterTotal[]> {
  const { rows } = await db.raw<{ rows: MeterTotal[] }>(
    'select organization, meter, sum(units)::bigint as units from meter_removals where period = ? group by 1, 2',
    [period],
  )
  return rows
}

/** A meter of an organization of which a part of the limit is used. */
export interface NearLimit extends MeterPeriod {
  limit: number
  isHard: boolean
  used: number
}

/**
 * Lists the meters of the present month of which at least so many per cent of the limit are used. What processes have
 * leased is read only where it could matter.
 */
export async function listNearLimits(
  db: Knex,
  { plans, defaultPlan }: PlanTable,
  percent: number,
): Promise<NearLimit[]> {
  const rules = [...plans].flatMap(([plan, meters]) =>
    [...meters].flatMap(([meter, { limit, isHard }]) =>
      limit === null || limit === 0 ? [] : [{ plan, meter, cap: limit, hard: isHard }],
    ),
  )
  const { rows } = await db.raw<{ rows: NearLimit[] }>(
    `select near.organization, near.meter, near.period::text as period, near.cap as limit, near.hard as "isHard", near.used
     from (
       select p.organization, p.meter, p.period, rule.cap, rule.hard,
         p.used + coalesce((select sum(open.used) from (${openBlocksSql}) open
           where open.organization = p.organization and open.meter = p.meter and open.period = p.period), 0)::bigint as used
       from meter_periods p left join organization_plans assigned using (organization)
       join jsonb_to_recordset(?::jsonb) rule (plan text, meter text, cap bigint, hard boolean) on rule.meter = p.meter
         and rule.plan = case when assigned.plan = any(?::text[]) then assigned.plan else ? end
       where p.period = ${currentPeriodSql} and (p.used + p.leased) * 100 >= rule.cap * ?) near
     where near.used * 100 >= near.cap * ?`,
    [JSON.stringify(rules), [...plans.keys()], defaultPlan, percent, percent] as Knex.RawBinding[],
  )
  return rows
}
