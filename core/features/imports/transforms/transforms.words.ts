import { computeCheckDigit } from '../../../kernel/text/check-digit.ts'
import { toPlainSlug } from '../../applications/index.ts'
import { normalizeText } from './transforms.countries.ts'
import { ValueIssue, createEachStep, createTextStep, toText, type TransformStep } from './transforms.types.ts'

/**
 * The words for yes and no in English, French, Spanish, German and Italian, and the signs that tables use. No word
 * means both.
 */
const booleansByWord = new Map<string, boolean>([
  ...['true', 'yes', 'y', 'x', '1', 'oui', 'vrai', 'sí', 'si', 'sì', 'verdadero', 'ja', 'j', 'wahr', 'vero'].map(
    (word) => [word, true] as const,
  ),
  ...['false', 'no', 'n', '0', 'non', 'faux', 'falso', 'nein', 'falsch'].map((word) => [word, false] as const),
])

const notBoolean = new ValueIssue(
  'not_boolean',
  'is neither yes nor no: true, yes, oui, sí, ja, 1, x or false, no, non, nein, 0',
)

export const booleanStep: TransformStep = createEachStep((value) => {
  if (typeof value === 'boolean') return value
  const text = toText(value)
  if (text instanceof ValueIssue) return text
  const word = text.trim().toLowerCase().normalize('NFC')
  return word === '' ? undefined : (booleansByWord.get(word) ?? notBoolean)
})

const notGtin = new ValueIssue('not_gtin', 'is not a GTIN of 8, 12, 13 or 14 digits')
const roundedGtin = new ValueIssue('not_gtin', 'is a number that a spreadsheet has rounded; export that column as text')
const createCheckDigitIssue = (digit: string) =>
  new ValueIssue('not_gtin', `is not a GTIN: its check digit would be ${digit}`)

/**
 * The step that writes a GTIN, EAN or UPC with 14 digits. It restores leading zeros that a spreadsheet has dropped and
 * ignores blanks and hyphens between digits. Source: GS1 General Specifications, sections 3.3 and 7.9 (check digit)
 */
export const gtinStep: TransformStep = createTextStep((text) => {
  const digits = text.trim().replace(/[\s-]/g, '')
  if (digits === '') return undefined
  if (/^\d(?:[.,]\d+)?[eE]\+?\d+$/.test(digits)) return roundedGtin
  if (!/^\d{8,14}$/.test(digits) || /^0+$/.test(digits)) return notGtin
  const padded = digits.padStart(14, '0')
  const expected = computeCheckDigit(padded.slice(0, -1))
  return padded.at(-1) === expected ? padded : createCheckDigitIssue(expected)
})

const noSlug = new ValueIssue('no_slug', 'has no Latin letter or digit to make a slug of')

export const slugStep: TransformStep = createTextStep((text) => toPlainSlug(text) || noSlug)

const wordsByGranularity = {
  model: ['model', 'modell', 'modele', 'modelo', 'modello', 'article', 'artikel', 'articolo', 'articulo', 'style'],
  batch: ['batch', 'lot', 'lote', 'lotto', 'charge', 'los', 'partida'],
  item: [
    ...['item', 'unit', 'unidad', 'unita', 'unite', 'stuck', 'serial', 'serie', 'piece', 'pezzo', 'einzelstuck'],
    ...['einheit', 'exemplar', 'instance', 'serialised', 'serialized'],
  ],
} as const

/** What a row is, by the words for it in English, French, Spanish, German and Italian, without accents. */
export const granularitiesByWord: ReadonlyMap<string, string> = new Map(
  Object.entries(wordsByGranularity).flatMap(([granularity, words]) =>
    words.map((word) => [word, granularity] as const),
  ),
)

const notGranularity = new ValueIssue('not_granularity', 'is no word for a model, a batch or an item')

/** The step that writes the word for a model, a batch or an item as the API does. */
export const granularityStep: TransformStep = createTextStep((text) => {
  const word = normalizeText(text)
  return word === '' ? undefined : (granularitiesByWord.get(word) ?? notGranularity)
})
