import { createProblem } from '../../kernel/problem.ts'
import type { OrganizationDays } from '../identity/index.ts'

export const intervals = ['day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]

/** The most points of a series. */
export const maxPoints = 400
/** Days of the period that is answered by default, and of one that is asked for by its end alone. */
const defaultDays = 30

/** The period of an answer. Dates are `YYYY-MM-DD`, in the time zone of the organization. */
export interface Period {
  from: string
  to: string
  interval: Interval
  timeZone: string
  /** The first days of its points. */
  points: string[]
}

export interface PeriodQuery {
  from?: string
  to?: string
  interval?: Interval
}

/**
 * Completes the period of a request.
 * @throws INVALID_REQUEST if it ends before it begins, or has too many points
 */
export function createPeriod(query: PeriodQuery, { timeZone, today }: OrganizationDays): Period {
  const { to = today, interval = 'day' } = query
  const from = query.from ?? formatDay(parseDay(to) - (defaultDays - 1) * dayMs)
  if (from > to) throw createProblem('INVALID_REQUEST', 'from must not be after to.', { path: 'from' })
  const points = listPoints(from, to, interval)
  if (points.length > maxPoints)
    throw createProblem('INVALID_REQUEST', `from, to and interval make more than ${maxPoints} points.`, {
      path: 'from',
    })
  return { from, to, interval, timeZone, points }
}

const dayMs = 86_400_000

const parseDay = (day: string) => Date.parse(`${day}T00:00:00Z`)
const formatDay = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Lists the first days of the points, at most one more than a series can have. The first one begins with the period. */
function listPoints(from: string, to: string, interval: Interval): string[] {
  const points: string[] = []
  const end = parseDay(to)
  for (let time = parseDay(from); time <= end && points.length <= maxPoints; time = findNext(time, interval))
    points.push(formatDay(time))
  return points
}

/** Finds the next first day of an interval. Weeks begin on Monday. Source: ISO 8601. */
function findNext(time: number, interval: Interval): number {
  const date = new Date(time)
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return time + dayMs * (interval === 'week' ? 7 - ((date.getUTCDay() + 6) % 7) : 1)
}
