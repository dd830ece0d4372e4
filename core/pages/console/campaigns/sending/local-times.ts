import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'

/** A moment that a clock shows, with what the clock differs from UTC. */
export interface ClockMoment {
  at: Date
  /** As `UTC+2`. */
  offset: string
}

const localPattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?$/
const minuteMs = 60_000
/** The clocks of all zones together differ by less than this between two days. */
const dayMs = 86_400_000

/** Reads what a clock shows at a moment, as if it were UTC. */
function readClock(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'))
}

const formatOffset = (ms: number): string => {
  const minutes = Math.round(ms / minuteMs)
  const rest = Math.abs(minutes) % 60
  const hours = Math.floor(Math.abs(minutes) / 60)
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest > 0 ? `:${String(rest).padStart(2, '0')}` : ''}`
}

/**
 * Finds the moments at which the clocks of a time zone show this day and time: none in the hour that is skipped when they
 * go forward, two in the hour that comes twice when they go back.
 * @param text as a field for day and time sends it, 2026-12-24T10:00
 * @returns null for a text that is no day and time
 */
export function findMoments(text: string, timeZone: string): ClockMoment[] | null {
  const [, ...numbers] = (localPattern.exec(text) ?? []).map(Number)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = numbers
  const wanted = Date.UTC(year, month - 1, day, hour, minute)
  const isReal = numbers.length > 0 && new Date(wanted).toISOString().slice(0, 16) === text.slice(0, 16)
  if (!isReal) return null
  const offsets = new Set([wanted - dayMs, wanted, wanted + dayMs].map((at) => readClock(new Date(at), timeZone) - at))
  return [...offsets]
    .map((offset) => ({ at: new Date(wanted - offset), offset: formatOffset(offset) }))
    .filter(({ at }) => readClock(at, timeZone) === wanted)
    .sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** Formats a moment as the clocks of a zone show it. */
export const formatMoment = (instant: string, timeZone: string, language: ConsoleLanguage): string =>
  new Date(instant).toLocaleString(language, { timeZone, dateStyle: 'full', timeStyle: 'short' })
