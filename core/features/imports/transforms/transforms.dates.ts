import { ValueIssue, createTextStep, type TransformStep } from './transforms.types.ts'

/** The number of digits that each field of a format takes. Source: Unicode UTS 35 (CLDR), Date Field Symbol Table. */
const dateFields: Record<string, { name: DatePartName; minDigits: number; maxDigits: number }> = {
  yyyy: { name: 'year', minDigits: 4, maxDigits: 4 },
  yy: { name: 'year', minDigits: 2, maxDigits: 2 },
  MM: { name: 'month', minDigits: 2, maxDigits: 2 },
  M: { name: 'month', minDigits: 1, maxDigits: 2 },
  dd: { name: 'day', minDigits: 2, maxDigits: 2 },
  d: { name: 'day', minDigits: 1, maxDigits: 2 },
  HH: { name: 'hour', minDigits: 2, maxDigits: 2 },
  H: { name: 'hour', minDigits: 1, maxDigits: 2 },
  mm: { name: 'minute', minDigits: 2, maxDigits: 2 },
  ss: { name: 'second', minDigits: 2, maxDigits: 2 },
  SSS: { name: 'fraction', minDigits: 3, maxDigits: 3 },
}
type DatePartName = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction'

type FormatPart = { name: DatePartName; minDigits: number; maxDigits: number } | { literal: string } | 'zone'

const notDay = new ValueIssue('not_date', 'is neither a day as 2026-01-31 nor a time on one')

/** The step that writes a time, as `date` makes it, as its day. Source: RFC 3339. */
export const dayStep: TransformStep = createTextStep((text) => {
  const trimmed = text.trim()
  return trimmed === '' ? undefined : (/^\d{4}-\d{2}-\d{2}(?=[T ]|$)/.exec(trimmed)?.[0] ?? notDay)
})

const supportedTokens = 'yyyy, yy (2000 to 2079), MM, M, dd, d, HH, H, mm, ss, SSS and XXX'

/**
 * Creates a step that reads a date in a format of CLDR letters. The step writes the date as `YYYY-MM-DD`, or, if the
 * format has a time, as an RFC 3339 instant. `XXX` reads a time zone (`Z` or `+01:00`); without `XXX` the time is UTC.
 * A day that the calendar does not have is refused. Literal text in the format stands in single quotes; `T` may stand
 * without them.
 * @returns the step, or a text that says what is wrong with the format
 * Source: ISO 8601-1, RFC 3339, Unicode UTS 35
 */
export function createDateStep(format: string): TransformStep | string {
  const parts = parseFormat(format)
  if (typeof parts === 'string') return parts
  const wrong = findFormatIssue(parts)
  if (wrong !== undefined) return wrong
  const notDate = new ValueIssue('not_date', `is not a date in the form ${format}`)
  const hasTime = parts.some((part) => part !== 'zone' && 'name' in part && part.name === 'hour')
  return createTextStep((text) => {
    const trimmed = text.trim()
    return trimmed === '' ? undefined : (formatDate(parseDate(trimmed, parts), hasTime) ?? notDate)
  })
}

function parseFormat(format: string): FormatPart[] | string {
  const parts: FormatPart[] = []
  for (const [run] of format.matchAll(/'[^']*'?|([a-zA-Z])\1*|[^a-zA-Z']+/g)) {
    const field = dateFields[run]
    if (run === 'XXX') parts.push('zone')
    else if (field) parts.push(field)
    else if (run.startsWith("'")) {
      if (run.length < 2 || !run.endsWith("'")) return 'has a quote that is not closed'
      parts.push({ literal: run === "''" ? "'" : run.slice(1, -1) })
    } else if (run !== 'T' && /^[a-zA-Z]/.test(run))
      return `does not know ${run} in a date; it knows ${supportedTokens}`
    else parts.push({ literal: run })
  }
  return parts
}

function findFormatIssue(parts: readonly FormatPart[]): string | undefined {
  const names = parts.flatMap((part) => (part === 'zone' ? ['zone'] : 'name' in part ? [part.name] : []))
  const has = (name: string) => names.includes(name)
  if (new Set(names).size !== names.length) return 'names a part of the date twice'
  if (!has('year') || !has('month') || !has('day')) {
    return 'needs year, month and day, as dd.MM.yyyy; mm stands for minutes'
  }
  if (has('hour') !== has('minute')) return 'needs hours with their minutes, as HH:mm'
  if (has('second') && !has('hour')) return 'has seconds without hours'
  if (has('fraction') && !has('second')) return 'has fractions without seconds'
  return has('zone') && !has('hour') ? 'has a zone without a time' : undefined
}

type ParsedDate = Partial<Record<DatePartName, number>> & { zone?: string }

/** The greatest two-digit year: `yy` reads 2000 to 2079, because 80 to 99 could mean either century. */
const lastShortYear = 79

/**
 * Reads the parts of a date from where the format puts them; returns undefined if the text does not match the format.
 */
function parseDate(text: string, parts: readonly FormatPart[]): ParsedDate | undefined {
  const dateParts: ParsedDate = {}
  let at = 0
  for (const part of parts) {
    if (part === 'zone') {
      const zone = /^(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)/.exec(text.slice(at, at + 6))?.[0]
      if (zone === undefined) return undefined
      dateParts.zone = zone
      at += zone.length
    } else if ('literal' in part) {
      if (!text.startsWith(part.literal, at)) return undefined
      at += part.literal.length
    } else {
      let end = at
      while (end < at + part.maxDigits && isDigit(text.charCodeAt(end))) end += 1
      if (end - at < part.minDigits) return undefined
      const value = Number(text.slice(at, end))
      if (part.name === 'year' && part.maxDigits === 2 && value > lastShortYear) return undefined
      dateParts[part.name] = part.name === 'year' && part.maxDigits === 2 ? 2000 + value : value
      at = end
    }
  }
  return at === text.length ? dateParts : undefined
}

const isDigit = (code: number) => code >= 48 && code <= 57

const padNumber = (value: number, length = 2) => String(value).padStart(length, '0')

function formatDate(parsed: ParsedDate | undefined, hasTime: boolean): string | undefined {
  if (!parsed) return undefined
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction, zone = 'Z' } = parsed
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > getDaysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const date = `${padNumber(year, 4)}-${padNumber(month)}-${padNumber(day)}`
  if (!hasTime) return date
  const rest = fraction === undefined ? '' : `.${padNumber(fraction, 3)}`
  return `${date}T${padNumber(hour)}:${padNumber(minute)}:${padNumber(second)}${rest}${zone}`
}

function getDaysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
