import { readValues, type Values } from './lexical.values.ts'
import type { SourceField } from './suggestions.schema.ts'
import { applyAll, transformOf, type Transform } from './transforms.ts'
import { Fault } from './transforms.types.ts'

/** How a file writes what each column could write in several ways. Null: nothing in it tells. */
export interface Habits { decimals: '.' | ',' | null; monthFirst: boolean }

const dayForm = /^(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}/

/** What all columns of a file together tell of how it writes numbers and dates. */
export function habitsOf(all: readonly Values[]): Habits {
  const texts = all.flatMap((values) => values.texts)
  const days = texts.map((text) => dayForm.exec(text)).filter((found) => found !== null)
  return {
    decimals: decimalsOf(texts),
    monthFirst: days.some(([, , second]) => Number(second) > 12) && !days.some(([, first]) => Number(first) > 12),
  }
}

/** A sign that is certainly before decimals: not before three digits, or behind another sign, or behind a lone 0. */
const certain = (sign: string, other: string) => new RegExp(
  `^[+-]?(?:\\d+\\${sign}(?:\\d{1,2}|\\d{4,})|0\\${sign}\\d+|\\d{1,3}(?:[\\${other}\\s]\\d{3})+\\${sign}\\d+)$`)
const [point, comma] = [certain('.', ','), certain(',', '.')]

function decimalsOf(texts: readonly string[]): Habits['decimals'] {
  const [points, commas] = [point, comma].map((form) => texts.filter((text) => form.test(text)).length)
  return points === commas ? null : (points ?? 0) > (commas ?? 0) ? '.' : ','
}

/** The format of a date, in letters of CLDR; day first unless the file says otherwise. */
export function dateFormat(text: string, { monthFirst }: Habits): string | null {
  if (/^\d{8}$/.test(text)) return 'yyyyMMdd'
  const iso = /^(\d{4})([./-])(\d{1,2})[./-](\d{1,2})$/.exec(text)
  if (iso) return `yyyy${iso[2]}${letters('M', iso[3])}${iso[2]}${letters('d', iso[4])}`
  const found = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text)
  if (!found) return null
  const [, first, sign, second, year = ''] = found
  const parts = monthFirst ? [letters('M', first), letters('d', second)] : [letters('d', first), letters('M', second)]
  return [...parts, 'y'.repeat(year.length)].join(sign)
}

/** One digit where a value has one: such a file does not write the zero. */
const letters = (letter: string, digits = '') => letter.repeat(digits.length === 1 ? 1 : 2)

const upper = ['product.countryOfProduction.countryCode', 'data.currency']
const lower = ['product.idGranularity', 'allowedClaimEmail']
const dates = ['product.productionDate', 'product.expiryDate']
const numbers = /^product\.dimensions\.\w+\.value$|Fraction$|^data\.(?:price|quantity|carbonFootprint|warrantyMonths)$/

/** What values need to suit a destination. Only what does not fail on the values that are known. */
export function transformsFor(path: string, field: SourceField, habits: Habits): string[] {
  const values = readValues(field)
  const wanted = wantedFor(path, values, habits)
  return values.texts.every((text) => succeeds(wanted, text)) ? wanted : ['trim']
}

function wantedFor(path: string, { texts: [text = ''] }: Values, habits: Habits): string[] {
  if (path === 'product.gtin') return ['trim', 'gtin']
  if (upper.includes(path)) return ['trim', 'upper']
  if (lower.includes(path)) return ['trim', 'lower']
  if (numbers.test(path)) return percent(text, habits)
  if (dates.includes(path)) {
    const format = dateFormat(text, habits)
    return format === null ? ['trim'] : ['trim', `date(${format})`]
  }
  if (path === 'data.certifications') {
    const separator = [';', '|', ','].find((sign) => text.includes(sign))
    return separator === undefined ? ['trim'] : [separator === ',' ? 'split(",")' : `split(${separator})`, 'trim']
  }
  return ['trim']
}

function percent(text: string, { decimals }: Habits): string[] {
  const number = decimals === null ? 'number' : `number(${decimals})`
  return text.endsWith('%') ? ['replace(%,"")', number] : ['trim', number]
}

function succeeds(written: readonly string[], text: string): boolean {
  const made = written.map(transformOf)
  if (made.some((one) => typeof one === 'string')) return false
  return !(applyAll(made as Transform[], text) instanceof Fault)
}
