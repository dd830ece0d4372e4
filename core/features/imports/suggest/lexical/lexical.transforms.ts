import { readValues, type ColumnValues } from './lexical.values.ts'
import type { SourceField } from '../suggestions.schema.ts'
import { applyTransforms, parseTransform, type Transform, ValueIssue } from '../../transforms/index.ts'

/** How a file writes numbers and dates. `decimals` is null if nothing in the file shows the sign. */
export interface Habits {
  decimals: '.' | ',' | null
  monthFirst: boolean
}

const dayPattern = /^(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}/

/** Detects from all columns of a file together how the file writes numbers and dates. */
export function detectHabits(all: readonly ColumnValues[]): Habits {
  const texts = all.flatMap((values) => values.texts)
  const days = texts.map((text) => dayPattern.exec(text)).filter((found) => found !== null)
  return {
    decimals: detectDecimalSign(texts),
    monthFirst: days.some(([, , second]) => Number(second) > 12) && !days.some(([, first]) => Number(first) > 12),
  }
}

/**
 * Creates a pattern of numbers where the sign certainly stands before decimals: the sign is not before exactly three
 * digits, or it comes after groups with another sign, or after a lone 0.
 */
const createDecimalPattern = (sign: string, other: string) =>
  new RegExp(
    `^[+-]?(?:\\d+\\${sign}(?:\\d{1,2}|\\d{4,})|0\\${sign}\\d+|\\d{1,3}(?:[\\${other}\\s]\\d{3})+\\${sign}\\d+)$`,
  )
const [point, comma] = [createDecimalPattern('.', ','), createDecimalPattern(',', '.')]

function detectDecimalSign(texts: readonly string[]): Habits['decimals'] {
  const [points, commas] = [point, comma].map((form) => texts.filter((text) => form.test(text)).length)
  return points === commas ? null : (points ?? 0) > (commas ?? 0) ? '.' : ','
}

/** Detects the format of a date, in letters of CLDR; the day comes first unless the file shows otherwise. */
export function detectDateFormat(text: string, { monthFirst }: Habits): string | null {
  if (/^\d{8}$/.test(text)) return 'yyyyMMdd'
  const iso = /^(\d{4})([./-])(\d{1,2})[./-](\d{1,2})$/.exec(text)
  if (iso) return `yyyy${iso[2]}${repeatLetter('M', iso[3])}${iso[2]}${repeatLetter('d', iso[4])}`
  const found = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text)
  if (!found) return null
  const [, first, sign, second, year = ''] = found
  const parts = monthFirst
    ? [repeatLetter('M', first), repeatLetter('d', second)]
    : [repeatLetter('d', first), repeatLetter('M', second)]
  return [...parts, 'y'.repeat(year.length)].join(sign)
}

/**
 * Returns one letter for a part of one digit, otherwise two: a file with a part of one digit does not write leading
 * zeros.
 */
const repeatLetter = (letter: string, digits = '') => letter.repeat(digits.length === 1 ? 1 : 2)

const upperCasePaths = ['product.countryOfProduction.countryCode', 'data.currency']
const lowerCasePaths = ['product.idGranularity', 'allowedClaimEmail']
const datePaths = ['product.productionDate', 'product.expiryDate']
const numberPaths =
  /^product\.dimensions\.\w+\.value$|Fraction$|^data\.(?:price|quantity|carbonFootprint|warrantyMonths)$/

/** Suggests the transforms that values need for a destination; only `trim` if these would fail on a known value. */
export function suggestTransforms(path: string, field: SourceField, habits: Habits): string[] {
  const values = readValues(field)
  const wanted = listWantedTransforms(path, values, habits)
  return values.texts.every((text) => succeeds(wanted, text)) ? wanted : ['trim']
}

function listWantedTransforms(path: string, { texts: [text = ''] }: ColumnValues, habits: Habits): string[] {
  if (path === 'product.gtin') return ['trim', 'gtin']
  if (upperCasePaths.includes(path)) return ['trim', 'upper']
  if (lowerCasePaths.includes(path)) return ['trim', 'lower']
  if (numberPaths.test(path)) return createNumberTransforms(text, habits)
  if (datePaths.includes(path)) {
    const format = detectDateFormat(text, habits)
    return format === null ? ['trim'] : ['trim', `date(${format})`]
  }
  if (path === 'data.certifications') {
    const separator = [';', '|', ','].find((sign) => text.includes(sign))
    return separator === undefined ? ['trim'] : [separator === ',' ? 'split(",")' : `split(${separator})`, 'trim']
  }
  return ['trim']
}

function createNumberTransforms(text: string, { decimals }: Habits): string[] {
  const number = decimals === null ? 'number' : `number(${decimals})`
  return text.endsWith('%') ? ['replace(%,"")', number] : ['trim', number]
}

function succeeds(written: readonly string[], text: string): boolean {
  const made = written.map(parseTransform)
  if (made.some((one) => typeof one === 'string')) return false
  return !(applyTransforms(made as Transform[], text) instanceof ValueIssue)
}
