import type { Knex } from 'knex'
import type { Interval, Period } from './periods.ts'
import { createNewlyActiveSql } from './days.sql.ts'

/** Whose days are read: those of an application, or of all of an organization. */
export interface DaysSubject {
  organization: string
  application: string | null
}

const dppColumns = {
  passportsCreated: 'passports_created',
  passportsPublished: 'passports_published',
  passportsMinted: 'passports_minted',
  claims: 'claims',
  scans: 'scans',
  certified: 'certified',
  certifyFailed: 'certify_failed',
  importsCompleted: 'imports_completed',
} as const
const countColumns = { accountsCreated: 'accounts_created', visits: 'visits', orders: 'orders' } as const
const pointColumns = {
  pointsMinted: 'points_minted',
  pointsBurnt: 'points_burnt',
  pointsExpired: 'points_expired',
} as const

/** Figures of passports. */
export type DppFigures = Record<keyof typeof dppColumns, number>
/** Figures of accounts. Points are decimal text. */
export type LoyaltyFigures = Record<keyof typeof countColumns | 'activeAccounts', number>
  & Record<keyof typeof pointColumns, string>

/** The figures of the points of a period that have any, by their first day, and those of the whole. */
export interface PeriodFigures<Figures> {
  points: Map<string, Figures>
  total: Figures
}

/** The first day of a point. Bindings of a statement: the beginning of the period, then its subject and days. */
const createPointSql = (interval: Interval) =>
  interval === 'day' ? 'day' : `greatest(date_trunc('${interval}', day::timestamp)::date, since)`

const daysSql = `metric_days, (select ?::date as since) period
  where organization = ? and subject = ? and day between ? and ?`

const createBindings = ({ organization, application }: DaysSubject, { from, to }: Period) => [
  from,
  organization,
  application ?? organization,
  from,
  to,
]

const createSums = (columns: Readonly<Record<string, string>>, type: 'bigint' | 'text') =>
  Object.entries(columns).map(([name, column]) => `coalesce(sum(${column}), 0)::${type} as "${name}"`)

/** Reads the figures of passports of a period. */
export const readDppFigures = (db: Knex, subject: DaysSubject, period: Period): Promise<PeriodFigures<DppFigures>> =>
  readFigures<DppFigures>(
    db,
    `select ${createPointSql(period.interval)}::text as at, ${createSums(dppColumns, 'bigint').join(', ')}
     from ${daysSql} group by grouping sets ((1), ())`,
    createBindings(subject, period),
  )

/** Reads the figures of accounts of a period. An account is counted once in each point, and once in the whole. */
export function readLoyaltyFigures(
  db: Knex,
  subject: DaysSubject,
  period: Period,
): Promise<PeriodFigures<LoyaltyFigures>> {
  const point = createPointSql(period.interval)
  const newInPoint = period.interval === 'day' ? 'coalesce(reach[1], 0)' : createNewlyActiveSql(point)
  return readFigures<LoyaltyFigures>(
    db,
    `select at, ${[...createSums(countColumns, 'bigint'), ...createSums(pointColumns, 'text')].join(', ')},
       coalesce(case when grouping(at) = 1 then sum(new_in_period) else sum(new_in_point) end, 0)::bigint as "activeAccounts"
     from (
       select ${point}::text as at, metric_days.*, ${newInPoint} as new_in_point,
         ${createNewlyActiveSql('since')} as new_in_period
       from ${daysSql}) days
     group by grouping sets ((at), ())`,
    createBindings(subject, period),
  )
}

async function readFigures<Figures>(
  db: Knex,
  sql: string,
  bindings: Knex.RawBinding[],
): Promise<PeriodFigures<Figures>> {
  const { rows } = await db.raw<{ rows: (Figures & { at: string | null })[] }>(sql, bindings)
  const found = rows.map(({ at, ...figures }) => [at, figures as Figures] as const)
  const whole = found.find(([at]) => at === null)
  if (!whole) throw new Error('A sum of days has no row')
  return {
    points: new Map(found.flatMap(([at, figures]) => (at === null ? [] : [[at, figures] as const]))),
    total: whole[1],
  }
}
