import type { DirectDatabase, Statement } from '../../database/connection.ts'
import { intervals, type Interval, type Period } from './periods.ts'
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
  points: Map<string, Figures & { at: string }>
  total: Figures
}

/** The first day of a point. */
const createPointSql = (interval: Interval) =>
  interval === 'day' ? 'day' : `greatest(date_trunc('${interval}', day::timestamp)::date, since)`

/** The days of a statement, whose values `createValues` creates. */
const daysSql = `metric_days, (select $1::date as since) period
  where organization = $2 and subject = $3 and day between $1::date and $4::date`

const createValues = ({ organization, application }: DaysSubject, { from, to }: Period) => [
  from,
  organization,
  application ?? organization,
  to,
]

const createSums = (columns: Readonly<Record<string, string>>, type: 'bigint' | 'text') =>
  Object.entries(columns).map(([name, column]) => `coalesce(sum(${column}), 0)::${type} as "${name}"`)

/** Creates the statement of each interval, which a connection plans once: planning takes as long as summing up a year. */
const createStatements = (name: string, createText: (interval: Interval) => string) =>
  new Map(
    intervals.map((interval): [Interval, Statement] => [
      interval,
      { name: `metrics_${name}_${interval}`, text: createText(interval) },
    ]),
  )

const dppStatements = createStatements(
  'dpp',
  (interval) => `select ${createPointSql(interval)}::text as at, ${createSums(dppColumns, 'bigint').join(', ')}
    from ${daysSql} group by grouping sets ((1), ())`,
)

const loyaltyStatements = createStatements('loyalty', (interval) => {
  const point = createPointSql(interval)
  const newInPoint = interval === 'day' ? 'coalesce(reach[1], 0)' : createNewlyActiveSql(point)
  return `
    select at, ${[...createSums(countColumns, 'bigint'), ...createSums(pointColumns, 'text')].join(', ')},
      coalesce(case when grouping(at) = 1 then sum(new_in_period) else sum(new_in_point) end, 0)::bigint as "activeAccounts"
    from (
      select ${point}::text as at, metric_days.*, ${newInPoint} as new_in_point,
        ${createNewlyActiveSql('since')} as new_in_period
      from ${daysSql}) days
    group by grouping sets ((at), ())`
})

/** Reads the figures of passports of a period. */
export const readDppFigures = (direct: DirectDatabase, subject: DaysSubject, period: Period) =>
  readFigures<DppFigures>(direct, dppStatements, subject, period)

/** Reads the figures of accounts of a period. An account is counted once in each point, and once in the whole. */
export const readLoyaltyFigures = (direct: DirectDatabase, subject: DaysSubject, period: Period) =>
  readFigures<LoyaltyFigures>(direct, loyaltyStatements, subject, period)

async function readFigures<Figures extends object>(
  direct: DirectDatabase,
  statements: ReadonlyMap<Interval, Statement>,
  subject: DaysSubject,
  period: Period,
): Promise<PeriodFigures<Figures>> {
  const statement = statements.get(period.interval)
  if (!statement) throw new Error(`There is no statement by ${period.interval}`)
  const rows = await direct.queryRows<Figures & { at: string | null }>(statement, createValues(subject, period))
  const points: PeriodFigures<Figures>['points'] = new Map()
  for (const row of rows) if (row.at !== null) points.set(row.at, { ...row, at: row.at })
  const whole = rows.find(({ at }) => at === null)
  if (!whole) throw new Error('A sum of days has no row')
  return { points, total: removeDay(whole) }
}

const removeDay = <Figures extends object>({ at: _, ...figures }: Figures & { at: string | null }) =>
  figures as unknown as Figures
