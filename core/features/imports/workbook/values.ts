/** How numbers of a cell are shown, as far as it changes what they say. */
export type NumberKind = { kind: 'number' } | { kind: 'padded'; digits: number } | { kind: 'date' | 'time' | 'elapsed' }

const plain: NumberKind = { kind: 'number' }

/** Formats that have a number instead of a code. Source: ECMA-376, part 1, section 18.8.30. */
const builtIn = (id: number): NumberKind => {
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return { kind: 'date' }
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return { kind: 'time' }
  return id === 46 ? { kind: 'elapsed' } : plain
}

/** What a format makes of numbers. @param code its own, where it has one */
export function kindOfFormat(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return builtIn(id)
  const [first = ''] = code.split(';')
  const bare = first.replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return { kind: 'elapsed' }
  const signs = bare.replace(/\[[^\]]*\]/g, '').replace(/general|am\/pm|a\/p|e[+-]/gi, '')
  if (/[yd]/i.test(signs)) return { kind: 'date' }
  if (/[hs]/i.test(signs)) return { kind: 'time' }
  if (/m/i.test(signs)) return { kind: 'date' }
  return /^0{2,}$/.test(code) ? { kind: 'padded', digits: code.length } : plain
}

const dayMilliseconds = 86_400_000
/** The day before the first one, of either calendar; that of 1900 has a 29 February which never was. */
const epochs = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
const lastWrongDay = 60

/**
 * The text of a number as a person sees it who knows nothing of its format's ornaments: a day as 2026-01-31, a time with
 * it behind T, digits as they were typed. Null for what is no number, and for days that no calendar has.
 */
export function textOfNumber(written: string, { kind, ...format }: NumberKind, calendar: 1900 | 1904): string | null {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(written)) return null
  const value = Number(written)
  if (!Number.isFinite(value)) return null
  if (kind === 'number') return digitsOf(written, value)
  if (kind === 'padded') return /^\d+$/.test(written) ? written.padStart((format as { digits: number }).digits, '0') : digitsOf(written, value)
  if (kind === 'elapsed') return value < 0 ? null : clock(Math.round(value * dayMilliseconds))
  if (value < 0) return null
  if (kind === 'time' && value < 1) return clock(Math.round(value * dayMilliseconds))
  const days = calendar === 1900 && value < lastWrongDay ? value + 1 : value
  if (calendar === 1900 && value >= lastWrongDay && value < lastWrongDay + 1) return null
  const at = new Date(epochs[calendar] + Math.round(days * dayMilliseconds))
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9_999) return null
  const text = at.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('Z', '').replace('.000', '')
}

/** Whole numbers stay as they are written; others have more digits in the file than anybody typed, as 1.1000000000000001. */
function digitsOf(written: string, value: number): string {
  const digits = written.replace(/[eE].*$|[^\d]/g, '').replace(/^0+/, '')
  if (/^[+-]?\d+$/.test(written) || digits.length > 17) return written
  const shortest = String(value)
  return shortest.includes('e') ? written : shortest
}

const two = (value: number) => String(value).padStart(2, '0')

function clock(milliseconds: number): string {
  const [seconds, rest] = [Math.floor(milliseconds / 1_000), milliseconds % 1_000]
  const text = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return rest === 0 ? text : `${text}.${String(rest).padStart(3, '0')}`
}

/** Text with the signs that XML cannot hold, which are written `_x000D_`. Source: ECMA-376, part 1, section 22.9.2.19. */
export const unescaped = (text: string) =>
  (text.includes('_x') ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text)
