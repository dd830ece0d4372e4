import { Cron } from 'croner'

/** Minutes between two fetches. */
const least = 15
const day = 24 * 60
/** Milliseconds. */
const minute = 60_000

/** Numbers, names of three letters, lists, ranges and steps. Source: POSIX, crontab; names as in cron(8). */
const field = /^(?:[\d*,/-]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat))+$/i

const cronOf = (schedule: string) => new Cron(schedule, { mode: '5-part', utcOffset: 0, paused: true })

/** When a schedule comes next after an instant, in UTC; undefined where it never does. */
export function nextRun(schedule: string, after: Date): Date | undefined {
  return cronOf(schedule).nextRun(after) ?? undefined
}

/**
 * What is wrong with a schedule: five fields in UTC, at least 15 minutes between any two of its times, and a day that
 * comes at all. What minutes and hours say is the same on each of its days, so one day and the distance to the next
 * tell of all.
 */
export function scheduleFault(schedule: string, now: Date): string | undefined {
  const fields = schedule.trim().split(/\s+/)
  if (fields.length !== 5 || !fields.every((one) => field.test(one))) {
    return 'has to be five fields of cron: minute, hour, day of the month, month, day of the week'
  }
  try {
    return distanceFault(schedule, fields.slice(2).join(' '), now)
  } catch (cause) {
    return `is not a schedule: ${cause instanceof Error ? cause.message.replace(/^\w+: /, '') : 'it cannot be read'}`
  }
}

function distanceFault(schedule: string, days: string, now: Date): string | undefined {
  const first = nextRun(`0 0 ${days}`, now)
  if (first === undefined) return 'names a day that never comes'
  const times = timesOf(schedule, first)
  const tooClose = times.some((time, at) => at > 0 && time - (times[at - 1] ?? 0) < least)
  const overnight = day - (times.at(-1) ?? 0) + (times[0] ?? 0)
  const tooOften = tooClose || (overnight < least && hasNeighbours(days, now))
  return tooOften ? `comes more often than every ${least} minutes` : undefined
}

/** Minutes of a day of the schedule, as many as tell whether two are too close. @param start midnight of that day */
function timesOf(schedule: string, start: Date): number[] {
  const cron = cronOf(schedule)
  const times: number[] = []
  let at = cron.nextRun(new Date(start.getTime() - 1000))
  while (at && at.getTime() < start.getTime() + day * minute && times.length <= day / least) {
    times.push((at.getTime() - start.getTime()) / minute)
    at = cron.nextRun(at)
  }
  return times
}

/** Whether two days of the schedule follow each other within a year. */
function hasNeighbours(days: string, now: Date): boolean {
  const cron = cronOf(`0 0 ${days}`)
  const end = now.getTime() + 366 * day * minute
  let at = cron.nextRun(now)
  for (let next = at && cron.nextRun(at); at && next && next.getTime() < end; next = cron.nextRun(next)) {
    if (next.getTime() - at.getTime() === day * minute) return true
    at = next
  }
  return false
}
