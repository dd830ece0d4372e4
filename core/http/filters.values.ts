import type { FilterField } from '../kernel/page.ts'

/** Characters that a value can have. */
const longest = 1_000

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const instantShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/

/** The value in the type of its field, or undefined where it has another. */
export function readValue(field: FilterField, value: unknown): string | number | undefined {
  if (field.kind === 'integer') return readInteger(value)
  if (typeof value !== 'string' || value.length > longest || value.includes('\0') || !value.isWellFormed())
    return undefined
  switch (field.kind) {
    case 'uuid':
      return uuidShape.test(value) ? value.toLowerCase() : undefined
    case 'instant':
      return instantShape.test(value) && isReal(value) ? inMicroseconds(value) : undefined
    case 'enum':
      return field.values?.includes(value) ? value : undefined
    default:
      return value
  }
}

function readInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** A day that the calendar has; the year 0000 is none in SQL. */
function isReal(value: string): boolean {
  const time = Date.parse(value)
  return (
    !value.startsWith('0000') && !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value.slice(0, 10)
  )
}

/** Finer instants than the database knows, without their being rounded to one that some row has: rows have milliseconds. */
function inMicroseconds(value: string): string {
  const [whole = '', fraction = ''] = value.slice(0, -1).split('.')
  if (fraction.length <= 6) return value
  const kept = fraction.slice(0, 6)
  return `${whole}.${/[1-9]/.test(fraction.slice(6)) ? kept.replace(/000$/, '001') : kept}Z`
}

/** What a value of this field has to be, to say after "must be". */
export function hintOf(field: FilterField): string {
  if (field.kind === 'enum') return `one of ${field.values?.join(', ')}`
  return {
    uuid: 'a UUID',
    instant: 'an RFC 3339 instant in UTC ending in Z',
    integer: 'a whole number',
    text: `text of at most ${longest} characters`,
    presence: 'left out',
  }[field.kind]
}
