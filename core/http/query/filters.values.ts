import type { FilterField } from '../../kernel/page.ts'
import { uuidPattern } from '../../kernel/text/uuid.ts'

/** Maximum number of characters of a value. */
const maxValueLength = 1_000

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/

/** Converts a value to the type of its field, or returns undefined if it does not fit. */
export function parseFilterValue(field: FilterField, value: unknown): string | number | undefined {
  if (field.kind === 'integer') return parseInteger(value)
  if (typeof value !== 'string' || value.length > maxValueLength || value.includes('\0') || !value.isWellFormed())
    return undefined
  switch (field.kind) {
    case 'uuid':
      return uuidPattern.test(value) ? value.toLowerCase() : undefined
    case 'instant':
      return instantPattern.test(value) && isRealDate(value) ? toMicroseconds(value) : undefined
    case 'enum':
      return field.values?.includes(value) ? value : undefined
    default:
      return value
  }
}

function parseInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** Checks whether the day exists in the calendar. SQL has no year 0000. */
function isRealDate(value: string): boolean {
  const time = Date.parse(value)
  return (
    !value.startsWith('0000') && !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value.slice(0, 10)
  )
}

/**
 * Cuts an instant to the microseconds of the database. Rows have milliseconds: a cut instant must not become equal to
 * one.
 */
function toMicroseconds(value: string): string {
  const [whole = '', fraction = ''] = value.slice(0, -1).split('.')
  if (fraction.length <= 6) return value
  const kept = fraction.slice(0, 6)
  return `${whole}.${/[1-9]/.test(fraction.slice(6)) ? kept.replace(/000$/, '001') : kept}Z`
}

/** Describes the values of a field, as the end of a sentence with "must be". */
export function describeFilterValue(field: FilterField): string {
  if (field.kind === 'enum') return `one of ${field.values?.join(', ')}`
  return {
    uuid: 'a UUID',
    instant: 'an RFC 3339 instant in UTC ending in Z',
    integer: 'a whole number',
    text: `text of at most ${maxValueLength} characters`,
    presence: 'left out',
  }[field.kind]
}
