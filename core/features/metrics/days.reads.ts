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

/** A figure of a statement: its value on a day, and the one that counts for the whole where that is another one. */
interface FigureSql {
  name: string
  ofDay: string
  ofPeriod: string
  type: 'bigint' | 'text'
}

const createColumnFigures = (columns: Readonly<Record<string, string>>, type: 'bigint' | 'text'): FigureSql[] =>
  Object.entries(columns).map(([name, column]) => ({ name, ofDay: column, ofPeriod: column, type }))

/**
 * Creates the statement of an interval. It answers one row: for each figure a JSON array with a value for each point, whose
 * first days are `at`, and `totals` of the whole. A year of days costs a third of what a row for each day does, and a day
 * is a row of the table, so that nothing is grouped for them.
 */
function createStatement(name: string, figures: readonly FigureSql[], interval: Interval): Statement {
  const isByDay = interval === 'day'
  const columns = figures.flatMap(({ name: figure, ofDay, ofPeriod }) => [
    `${isByDay ? ofDay : `sum(${ofDay})`} as "${figure}"`,
    ...(ofPeriod === ofDay ? [] : [`${isByDay ? ofPeriod : `sum(${ofPeriod})`} as "${figure}OfPeriod"`]),
  ])
  const arrays = figures.map(({ name: figure, type }) => `json_agg("${figure}"::${type}) as "${figure}"`)
  const totals = figures.map(
    ({ name: figure, ofDay, ofPeriod, type }) =>
      `'${figure}', coalesce(sum("${figure}${ofPeriod === ofDay ? '' : 'OfPeriod'}"), 0)::${type}`,
  )
  return {
    name: `metrics_${name}_${interval}`,
    text: `select json_agg(at) as at, ${arrays.join(', ')}, json_build_object(${totals.join(', ')}) as totals
      from (select ${createPointSql(interval)}::text as at, ${columns.join(', ')} from ${daysSql}
        ${isByDay ? '' : 'group by 1'}) points`,
  }
}

/** Creates the statement of each interval, which a connection plans once: planning takes as long as summing up a year. */
const createStatements = (
  name: string,
  createFigures: (interval: Interval) => FigureSql[],
): ReadonlyMap<Interval, Statement> =>
  new Map(intervals.map((interval) => [interval, createStatement(name, createFigures(interval), interval)]))

const dppStatements = createStatements('dpp', () => createColumnFigures(dppColumns, 'bigint'))

const loyaltyStatements = createStatements('loyalty', (interval) => [
  ...createColumnFigures(countColumns, 'bigint'),
  ...createColumnFigures(pointColumns, 'text'),
  {
    name: 'activeAccounts',
    ofDay: interval === 'day' ? 'coalesce(reach[1], 0)' : createNewlyActiveSql(createPointSql(interval)),
    ofPeriod: createNewlyActiveSql('since'),
    type: 'bigint',
  },
])

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
  const [answer] = await direct.queryRows<FiguresRow>(statement, values)
  if (!answer) throw new Error('A sum of days has no row')
  const { at: days, totals, ...columns } = answer
  const arrays = Object.entries(columns)
  const rows = new Map(days?.map((day, row) => [day, row]))
  const createPoint = (at: string) => {
    const point = { at, ...none }
    const row = rows.get(at)
    if (row !== undefined) for (const [name, array] of arrays) (point as Record<string, unknown>)[name] = array?.[row]
    return point
  }
  return { series: points.map(createPoint), totals: { ...none, ...totals } }
}

/** The arrays of a row are null if the period has no day. */
type FiguresRow = { at: string[] | null; totals: object } & Record<string, unknown[] | null>
