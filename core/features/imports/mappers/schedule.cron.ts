import { Cron } from 'croner'

/** The minimum interval between two fetches, in minutes. */
const minIntervalMinutes = 15
const minutesPerDay = 24 * 60
const minuteMs = 60_000

/**
 * A field of a schedule: numbers, names of three letters, lists, ranges and steps. Source: POSIX, crontab; names as in
 * cron(8).
 */
const fieldPattern = /^(?:[\d*,/-]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat))+$/i

const createCron = (schedule: string) => new Cron(schedule, { mode: '5-part', utcOffset: 0, paused: true })

/** Finds the next time of a schedule after an instant, in UTC; undefined if there is none. */
export function findNextRun(schedule: string, after: Date): Date | undefined {
  return createCron(schedule).nextRun(after) ?? undefined
}

/**
 * Finds what is wrong with a schedule: it needs five fields, in UTC, at least 15 minutes between any two of its times,
 * and a day that exists. Minutes and hours are the same on each of its days, so it is enough to check one day and the
 * distance to the next.
 */
export function findScheduleIssue(schedule: string, now: Date): string | undefined {
  const fields = schedule.trim().split(/\s+/)
  if (fields.length !== 5 || !fields.every((one) => fieldPattern.test(one))) {
    return 'has to be five fields of cron: minute, hour, day of the month, month, day of the week'
  }
  try {
    return findDistanceIssue(schedule, fields.slice(2).join(' '), now)
  } catch (cause) {
    return `is not a schedule: ${cause instanceof Error ? cause.message.replace(/^\w+: /, '') : 'it cannot be read'}`
  }
}

function findDistanceIssue(schedule: string, days: string, now: Date): string | undefined {
  const first = findNextRun(`0 0 ${days}`, now)
  if (first === undefined) return 'names a day that never comes'
  const times = listTimes(schedule, first)
  const tooClose = times.some((time, at) => at > 0 && time - (times[at - 1] ?? 0) < minIntervalMinutes)
  const overnight = minutesPerDay - (times.at(-1) ?? 0) + (times[0] ?? 0)
  const tooOften = tooClose || (overnight < minIntervalMinutes && hasNeighbours(days, now))
  return tooOften ? `comes more often than every ${minIntervalMinutes} minutes` : undefined
}

/**
 * Lists the times of one day of the schedule in minutes, as many as show whether two are too close.
 * @param start midnight of that day
 */
function listTimes(schedule: string, start: Date): number[] {
  const cron = createCron(schedule)
  const times: number[] = []
  let at = cron.nextRun(new Date(start.getTime() - 1000))
  while (
    at
    && at.getTime() < start.getTime() + minutesPerDay * minuteMs
    && times.length <= minutesPerDay / minIntervalMinutes
  ) {
    times.push((at.getTime() - start.getTime()) / minuteMs)
    at = cron.nextRun(at)
  }
  return times
}

/** Returns whether two days of the schedule follow each other within a year. */
function hasNeighbours(days: string, now: Date): boolean {
  const cron = createCron(`0 0 ${days}`)
  const end = now.getTime() + 366 * minutesPerDay * minuteMs
  let at = cron.nextRun(now)
  for (let next = at && cron.nextRun(at); at && next && next.getTime() < end; next = cron.nextRun(next)) {
    if (next.getTime() - at.getTime() === minutesPerDay * minuteMs) return true
    at = next
  }
  return false
}
