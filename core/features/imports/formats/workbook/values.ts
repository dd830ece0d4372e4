/** How a cell shows numbers, as far as that changes their meaning. */
export type NumberKind = { kind: 'number' } | { kind: 'padded'; digits: number } | { kind: 'date' | 'time' | 'elapsed' }

const plainNumber: NumberKind = { kind: 'number' }

/** Returns the kind of a format that has a number instead of a code. Source: ECMA-376, part 1, section 18.8.30. */
const getBuiltInKind = (id: number): NumberKind => {
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58))
    return { kind: 'date' }
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return { kind: 'time' }
  return id === 46 ? { kind: 'elapsed' } : plainNumber
}

/** Returns the kind of numbers that a format shows. @param code the format's own code, if it has one */
export function getNumberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return getBuiltInKind(id)
  const [first = ''] = code.split(';')
  const bare = first.replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return { kind: 'elapsed' }
  const signs = bare.replace(/\[[^\]]*\]/g, '').replace(/general|am\/pm|a\/p|e[+-]/gi, '')
  if (/[yd]/i.test(signs)) return { kind: 'date' }
  if (/[hs]/i.test(signs)) return { kind: 'time' }
  if (/m/i.test(signs)) return { kind: 'date' }
  return /^0{2,}$/.test(code) ? { kind: 'padded', digits: code.length } : plainNumber
}

const dayMs = 86_400_000
/** The dates from which each calendar counts days; that of 1900 has a 29 February, which never existed. */
const epochs = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
const lastWrongDay = 60

/**
 * Formats a number as a person sees it without the ornaments of its format: a date as 2026-01-31, a time after T,
 * digits as they were typed. Returns null if the text is not a number or the day is in no calendar.
 */
export function formatNumber(written: string, { kind, ...format }: NumberKind, calendar: 1900 | 1904): string | null {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(written)) return null
  const value = Number(written)
  if (!Number.isFinite(value)) return null
  if (kind === 'number') return formatDigits(written, value)
  if (kind === 'padded')
    return /^\d+$/.test(written)
      ? written.padStart((format as { digits: number }).digits, '0')
      : formatDigits(written, value)
  if (kind === 'elapsed') return value < 0 ? null : formatClock(Math.round(value * dayMs))
  if (value < 0) return null
  if (kind === 'time' && value < 1) return formatClock(Math.round(value * dayMs))
  const days = calendar === 1900 && value < lastWrongDay ? value + 1 : value
  if (calendar === 1900 && value >= lastWrongDay && value < lastWrongDay + 1) return null
  const at = new Date(epochs[calendar] + Math.round(days * dayMs))
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9_999) return null
  const text = at.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('Z', '').replace('.000', '')
}

/**
 * Returns whole numbers as they are written. Others have more digits in the file than were typed, such as
 * 1.1000000000000001, and are shortened.
 */
function formatDigits(written: string, value: number): string {
  const digits = written.replace(/[eE].*$|[^\d]/g, '').replace(/^0+/, '')
  if (/^[+-]?\d+$/.test(written) || digits.length > 17) return written
  const shortest = String(value)
  return shortest.includes('e') ? written : shortest
}

const padTwo = (value: number) => String(value).padStart(2, '0')

function formatClock(milliseconds: number): string {
  const [seconds, rest] = [Math.floor(milliseconds / 1_000), milliseconds % 1_000]
  const text = `${padTwo(Math.floor(seconds / 3_600))}:${padTwo(Math.floor(seconds / 60) % 60)}:${padTwo(seconds % 60)}`
  return rest === 0 ? text : `${text}.${String(rest).padStart(3, '0')}`
}

/**
 * Decodes characters that XML cannot hold, which are written as `_x000D_`. Source: ECMA-376, part 1, section 22.9.2.19.
 */
export const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
