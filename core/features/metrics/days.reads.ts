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

/** The figures of the points of a period, in their order, and those of the whole. */
export interface PeriodFigures<Figures> {
  series: (Figures & { at: string })[]
  totals: Figures
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

/**
 * Creates the statement of each interval, which a connection plans once: planning takes as long as summing up a year. It
 * answers one row with a JSON array for each column: a year of days costs a third of what a row for each day does. The
 * whole comes last, with null for its day.
 * @param createText the statement that has a row for each point, with its first day as `at`, and one for the whole
 */
const createStatements = (
  name: string,
  columns: readonly string[],
  createText: (interval: Interval) => string,
): ReadonlyMap<Interval, Statement> =>
  new Map(
    intervals.map((interval) => {
      const arrays = ['at', ...columns].map((column) => `json_agg("${column}") as "${column}"`)
      return [
        interval,
        {
          name: `metrics_${name}_${interval}`,
          text: `select ${arrays.join(', ')} from (${createText(interval)} order by at nulls last) rows`,
        },
      ]
    }),
  )

const dppStatements = createStatements(
  'dpp',
  Object.keys(dppColumns),
  (interval) => `select ${createPointSql(interval)}::text as at, ${createSums(dppColumns, 'bigint').join(', ')}
    from ${daysSql} group by grouping sets ((1), ())`,
)

const loyaltyNames = [...Object.keys(countColumns), ...Object.keys(pointColumns), 'activeAccounts']

const loyaltyStatements = createStatements('loyalty', loyaltyNames, (interval) => {
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

/** Reads the figures of passports of a period. @param none the figures of a day on which nothing happened */
export const readDppFigures = <Figures extends DppFigures>(
  direct: DirectDatabase,
  subject: DaysSubject,
  period: Period,
  none: Figures,
) => readFigures(direct, dppStatements, createValues(subject, period), period, none)

/**
 * Reads the figures of accounts of a period. An account is counted once in each point, and once in the whole.
 * @param none the figures of a day on which nothing happened
 */
export const readLoyaltyFigures = <Figures extends LoyaltyFigures>(
  direct: DirectDatabase,
  subject: DaysSubject,
  period: Period,
  none: Figures,
) => readFigures(direct, loyaltyStatements, createValues(subject, period), period, none)

async function readFigures<Figures extends object>(
  direct: DirectDatabase,
  statements: ReadonlyMap<Interval, Statement>,
  values: readonly unknown[],
  { interval, points }: Period,
  none: Figures,
): Promise<PeriodFigures<Figures>> {
  const statement = statements.get(interval)
  if (!statement) throw new Error(`There is no statement by ${interval}`)
  const [answer] = await direct.queryRows<{ at: (string | null)[] }>(statement, values)
  if (!answer) throw new Error('A sum of days has no row')
  const { at: days, ...columns } = answer
  const arrays = Object.entries<unknown[]>(columns)
  const rows = new Map(days.map((day, row) => [day, row]))
  const fill = <Into extends object>(figures: Into, row: number | undefined): Into => {
    if (row !== undefined) for (const [name, array] of arrays) (figures as Record<string, unknown>)[name] = array[row]
    return figures
  }
  return {
    series: points.map((at) => fill({ at, ...none }, rows.get(at))),
    totals: fill({ ...none }, rows.get(null)),
  }
}
