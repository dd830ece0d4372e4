import { Fault, ofText, type Step } from './transforms.types.ts'

/** How many digits a letter takes. Source: Unicode UTS 35 (CLDR), Date Field Symbol Table. */
const fields: Record<string, { name: Name; least: number; most: number }> = {
  yyyy: { name: 'year', least: 4, most: 4 },
  yy: { name: 'year', least: 2, most: 2 },
  MM: { name: 'month', least: 2, most: 2 },
  M: { name: 'month', least: 1, most: 2 },
  dd: { name: 'day', least: 2, most: 2 },
  d: { name: 'day', least: 1, most: 2 },
  HH: { name: 'hour', least: 2, most: 2 },
  H: { name: 'hour', least: 1, most: 2 },
  mm: { name: 'minute', least: 2, most: 2 },
  ss: { name: 'second', least: 2, most: 2 },
  SSS: { name: 'fraction', least: 3, most: 3 },
}
type Name = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction'

type Part = { name: Name; least: number; most: number } | { literal: string } | 'zone'

const tokens = 'yyyy, yy (2000 to 2079), MM, M, dd, d, HH, H, mm, ss, SSS and XXX'

/**
 * A date in a format of CLDR letters as `YYYY-MM-DD`, or with a time as an RFC 3339 instant: `XXX` reads its zone (`Z`
 * or `+01:00`), without one it is UTC. Days that no calendar has are refused. Text stands in single quotes; `T` may
 * stand for itself. @returns the step, or what is wrong with the format. Source: ISO 8601-1, RFC 3339, Unicode UTS 35
 */
export function dateStep(format: string): Step | string {
  const parts = partsOf(format)
  if (typeof parts === 'string') return parts
  const wrong = contradiction(parts)
  if (wrong !== undefined) return wrong
  const notDate = new Fault('not_date', `is not a date in the form ${format}`)
  const timed = parts.some((part) => part !== 'zone' && 'name' in part && part.name === 'hour')
  return ofText((text) => {
    const trimmed = text.trim()
    return trimmed === '' ? undefined : written(read(trimmed, parts), timed) ?? notDate
  })
}

function partsOf(format: string): Part[] | string {
  const parts: Part[] = []
  for (const [run] of format.matchAll(/'[^']*'?|([a-zA-Z])\1*|[^a-zA-Z']+/g)) {
    const field = fields[run]
    if (run === 'XXX') parts.push('zone')
    else if (field) parts.push(field)
    else if (run.startsWith('\'')) {
      if (run.length < 2 || !run.endsWith('\'')) return 'has a quote that is not closed'
      parts.push({ literal: run === '\'\'' ? '\'' : run.slice(1, -1) })
    } else if (run !== 'T' && /^[a-zA-Z]/.test(run)) return `does not know ${run} in a date; it knows ${tokens}`
    else parts.push({ literal: run })
  }
  return parts
}

function contradiction(parts: readonly Part[]): string | undefined {
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

type Found = Partial<Record<Name, number>> & { zone?: string }

/** Years of two digits are 2000 to 2079: what is left could be meant either way. */
const lastShortYear = 79

/** What stands where the format says, or undefined where something else does. */
function read(text: string, parts: readonly Part[]): Found | undefined {
  const found: Found = {}
  let at = 0
  for (const part of parts) {
    if (part === 'zone') {
      const zone = /^(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)/.exec(text.slice(at, at + 6))?.[0]
      if (zone === undefined) return undefined
      found.zone = zone
      at += zone.length
    } else if ('literal' in part) {
      if (!text.startsWith(part.literal, at)) return undefined
      at += part.literal.length
    } else {
      let end = at
      while (end < at + part.most && isDigit(text.charCodeAt(end))) end += 1
      if (end - at < part.least) return undefined
      const value = Number(text.slice(at, end))
      if (part.name === 'year' && part.most === 2 && value > lastShortYear) return undefined
      found[part.name] = part.name === 'year' && part.most === 2 ? 2000 + value : value
      at = end
    }
  }
  return at === text.length ? found : undefined
}

const isDigit = (code: number) => code >= 48 && code <= 57

const padded = (value: number, length = 2) => String(value).padStart(length, '0')

function written(found: Found | undefined, timed: boolean): string | undefined {
  if (!found) return undefined
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction, zone = 'Z' } = found
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const date = `${padded(year, 4)}-${padded(month)}-${padded(day)}`
  if (!timed) return date
  const rest = fraction === undefined ? '' : `.${padded(fraction, 3)}`
  return `${date}T${padded(hour)}:${padded(minute)}:${padded(second)}${rest}${zone}`
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
