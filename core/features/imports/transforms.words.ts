import { checkDigit } from '../dpp/index.ts'
import { plainSlug } from '../applications/index.ts'
import { Fault, ofEach, ofText, textOf, type Step } from './transforms.types.ts'

/** English, French, Spanish, German and Italian, and what stands in tables. No word means both. */
const truths = new Map<string, boolean>([
  ...['true', 'yes', 'y', 'x', '1', 'oui', 'vrai', 'sí', 'si', 'sì', 'verdadero', 'ja', 'j', 'wahr', 'vero']
    .map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0', 'non', 'faux', 'falso', 'nein', 'falsch'].map((word) => [word, false] as const),
])

const notBoolean = new Fault(
  'not_boolean', 'is neither yes nor no: true, yes, oui, sí, ja, 1, x or false, no, non, nein, 0')

export const booleanStep: Step = ofEach((value) => {
  if (typeof value === 'boolean') return value
  const text = textOf(value)
  if (text instanceof Fault) return text
  const word = text.trim().toLowerCase().normalize('NFC')
  return word === '' ? undefined : truths.get(word) ?? notBoolean
})

const notGtin = new Fault('not_gtin', 'is not a GTIN of 8, 12, 13 or 14 digits')
const cutGtin = new Fault('not_gtin', 'is a number that a spreadsheet has rounded; export that column as text')
const wrongDigit = (digit: string) => new Fault('not_gtin', `is not a GTIN: its check digit would be ${digit}`)

/**
 * A GTIN, EAN or UPC with 14 digits. Leading zeros that a spreadsheet has dropped come back; blanks and hyphens between
 * digits do not count. Source: GS1 General Specifications, sections 3.3 and 7.9 (check digit)
 */
export const gtinStep: Step = ofText((text) => {
  const digits = text.trim().replace(/[\s-]/g, '')
  if (digits === '') return undefined
  if (/^\d(?:[.,]\d+)?[eE]\+?\d+$/.test(digits)) return cutGtin
  if (!/^\d{8,14}$/.test(digits) || /^0+$/.test(digits)) return notGtin
  const padded = digits.padStart(14, '0')
  const expected = checkDigit(padded.slice(0, -1))
  return padded.at(-1) === expected ? padded : wrongDigit(expected)
})

const noSlug = new Fault('no_slug', 'has no Latin letter or digit to make a slug of')

export const slugStep: Step = ofText((text) => plainSlug(text) || noSlug)
