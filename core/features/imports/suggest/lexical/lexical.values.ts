import { getCodesByCountryName, getCountryCodes, longCountryCodes, normalizeText } from '../../transforms/index.ts'
import {
  booleanWords,
  colorWords,
  getCurrencyCodes,
  genderWords,
  granularityWords,
  lengthUnits,
  massUnits,
  seasonPattern,
  sizePattern,
} from './lexical.words.ts'

/** What a value looks like. */
export type ValueLook =
  | 'none'
  | 'gtin'
  | 'integer'
  | 'decimal'
  | 'percent'
  | 'date'
  | 'instant'
  | 'email'
  | 'phone'
  | 'link'
  | 'picture'
  | 'paper'
  | 'digitalLink'
  | 'countryCode'
  | 'country'
  | 'currency'
  | 'granularity'
  | 'boolean'
  | 'uuid'
  | 'sizeWord'
  | 'gender'
  | 'genderLetter'
  | 'letterSize'
  | 'color'
  | 'measure'
  | 'season'
  | 'massUnit'
  | 'lengthUnit'
  | 'code'
  | 'words'
  | 'longText'
  | 'nothing'

export interface ColumnValues {
  looks: ReadonlySet<ValueLook>
  texts: readonly string[]
  numbers: readonly number[]
}

/** What is known of the values of a column. */
export interface ColumnProfile {
  example?: unknown
  min?: unknown
  max?: unknown
}

const numberPattern =
  /^[+-]?(?:\d{1,3}(?:[.,' \u00a0\u202f’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|\d+(?:\.\d+)?e[+-]?\d+)$/i

/** Returns whether the last digit is the check digit of the others. Source: GS1 General Specifications, section 7.9. */
export function hasCheckDigit(digits: string): boolean {
  const weighed = [...digits]
    .reverse()
    .slice(1)
    .map((digit, at) => Number(digit) * (at % 2 === 0 ? 3 : 1))
  const sum = weighed.reduce((total, one) => total + one, 0)
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1))
}

/** Returns everything that a text looks like; an early match excludes the later ones. */
function detectLooks(text: string): ValueLook[] {
  if (text === '') return ['none']
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return ['uuid']
  if (/^https?:\/\/\S+$|^www\.\S+$/i.test(text)) return [detectLinkLook(text)]
  if (/^[^\s@<>]{1,64}@[^\s@<>]+\.[^\s@<>.]{2,}$/.test(text)) return ['email']
  const date = detectDateLook(text)
  if (date) return [date]
  if (/^\+\d{8,15}$/.test(text)) return ['phone']
  if (/^\d+$/.test(text)) return detectDigitLooks(text)
  if (numberPattern.test(text)) return sizePattern.test(text) ? ['decimal', 'sizeWord'] : ['decimal']
  if (/^[+-]?\d+(?:[.,]\d+)?\s?%$/.test(text)) return ['percent', 'words']
  if (/^(?:\+\(?\d|\(?0)[\d\s()./-]{6,20}\d$/.test(text)) return ['phone']
  return detectWordLooks(text)
}

function detectLinkLook(text: string): ValueLook {
  const path = text.toLowerCase().split(/[?#]/)[0] ?? ''
  if (/\.(?:jpe?g|png|webp|gif|svg|avif|tiff?|bmp|heic)$/.test(path)) return 'picture'
  if (/\/01\/\d{8,14}(?:\/|$)/.test(path)) return 'digitalLink'
  return /\.(?:pdf|docx?|xlsx?|json|jsonld|xml|zip|txt|md)$/.test(path) ? 'paper' : 'link'
}

function detectDigitLooks(text: string): ValueLook[] {
  const looks: ValueLook[] = ['integer']
  if ([8, 12, 13, 14].includes(text.length) && hasCheckDigit(text) && !/^0+$/.test(text)) looks.push('gtin')
  if (text.length <= 3) looks.push('sizeWord')
  if (text === '0' || text === '1') looks.push('boolean')
  if (/^00\d{9,14}$|^0\d{8,12}$/.test(text)) looks.push('phone')
  return looks
}

function detectWordLooks(text: string): ValueLook[] {
  const looks = detectCodeLooks(text)
  const word = normalizeText(text)
  if (getCodesByCountryName().has(word)) looks.push('country')
  if (granularityWords.has(word)) looks.push('granularity')
  if (genderWords.has(word) || word.split(/[\s/,&]+/).every((part) => genderWords.has(part))) looks.push('gender')
  if (/^[wmfduh]$/.test(word)) looks.push('genderLetter')
  if (/^(?:x{0,4}s|m|x{0,5}l|[2-6]xl)$/.test(word)) looks.push('letterSize')
  if (booleanWords.has(word)) looks.push('boolean')
  if (massUnits.has(word)) looks.push('massUnit')
  if (lengthUnits.has(word)) looks.push('lengthUnit')
  if (sizePattern.test(text)) looks.push('sizeWord')
  if (word.length < 40 && word.split(/[\s/,-]+/).some((part) => colorWords.has(part))) looks.push('color')
  if (
    /^\d+(?:[.,]\d+)?\s?(?:ml|cl|l|g|kg|mm|cm|m|oz|inch|"|''|person|personen|fl oz)\b/i.test(word)
    || /^\d+(?:[.,]\d+)?\s?[x×]\s?\d+/i.test(word)
  )
    looks.push('measure')
  if (seasonPattern.test(word)) looks.push('season')
  return [...looks, ...detectTextLooks(text)]
}

/** Codes of ISO 3166-1 and ISO 4217, which only capitals are taken for: in small letters they are words. */
function detectCodeLooks(text: string): ValueLook[] {
  const looks: ValueLook[] = []
  if (/^[A-Z]{2}$/.test(text) && getCountryCodes().has(text)) looks.push('countryCode')
  if (/^[A-Z]{3}$/.test(text)) {
    if (longCountryCodes.has(text)) looks.push('countryCode')
    if (getCurrencyCodes().has(text)) looks.push('currency')
  }
  return looks
}

const htmlPattern = /<(?:p|br|div|ul|li|b|span|h\d)\b[^>]*>/i

function detectTextLooks(text: string): ValueLook[] {
  const spaces = text.split(/\s+/).length - 1
  if (htmlPattern.test(text) || text.length > 120 || isSentence(text, spaces)) return ['longText']
  if (spaces === 0 && (/\d/.test(text) || /^[A-Z\d./_-]{2,}$/.test(text))) {
    return /\p{Ll}{3}/u.test(text) ? ['code', 'words'] : ['code']
  }
  return spaces === 1 && /^[A-Z\d./_-]+ [A-Z\d./_-]+$/.test(text) && /\d/.test(text) ? ['code', 'words'] : ['words']
}

/** Returns whether a text is a sentence: five words or more with a sign at the end, or twelve words or more. */
const isSentence = (text: string, spaces: number) =>
  (spaces >= 4 && /[.!?…]["»”)]?$/.test(text) && text.length >= 25) || spaces >= 11

const datePatterns: readonly RegExp[] = [
  /^\d{4}-\d{2}-\d{2}$/,
  /^\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})$/,
  /^\d{4}[./]\d{1,2}[./]\d{1,2}$/,
]

function detectDateLook(text: string): 'date' | 'instant' | undefined {
  if (datePatterns.some((form) => form.test(text))) return isPossibleDay(text) ? 'date' : undefined
  if (/^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(text)) return 'date'
  if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)) return 'instant'
  return /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d{2}/.test(text) ? 'instant' : undefined
}

/** Returns whether the parts of a date can be a day and a month in some order. */
function isPossibleDay(text: string): boolean {
  const numbers = text.split(/\D/).map(Number)
  const small = numbers.filter((number) => number >= 1 && number <= 31)
  return small.length >= 2 && small.some((number) => number <= 12)
}

/** Returns what the values of a column look like: the looks that all known values have in common. */
export function readValues({ example, min, max }: ColumnProfile): ColumnValues {
  const texts = [example, min, max]
    .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
    .map((value) => String(value).trim())
    .filter((text) => text !== '')
  const all = texts.map((text) => new Set(detectLooks(text)))
  const [first, ...others] = all
  if (!first) return { looks: new Set(['none']), texts, numbers: [] }
  const common = new Set([...first].filter((look) => others.every((looks) => looks.has(look))))
  if (others.length > 0) addMixedLooks(common, all)
  const numbers = texts.map(parseNumberText).filter(Number.isFinite)
  return { looks: common.size > 0 ? common : new Set(['nothing']), texts, numbers }
}

/**
 * Adds the look of values that differ in look but not in kind: whole numbers beside decimals, codes beside bare
 * numbers.
 */
function addMixedLooks(common: Set<ValueLook>, all: readonly ReadonlySet<ValueLook>[]): void {
  const every = (...looks: ValueLook[]) => all.every((seen) => looks.some((look) => seen.has(look)))
  if (every('integer', 'decimal')) common.add(every('integer') ? 'integer' : 'decimal')
  else if (every('code', 'integer')) common.add('code')
  else if (every('picture', 'link', 'paper')) common.add('link')
  else if (every('words', 'longText')) common.add(every('words') ? 'words' : 'longText')
  else if (every('words', 'code', 'integer')) common.add('words')
}

/** Parses the number that a text most likely is; returns NaN if the text is not a number. */
export function parseNumberText(text: string): number {
  if (!numberPattern.test(text)) return Number.NaN
  const last = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'))
  const bare = (part: string) => part.replace(/[^\d+-]/g, '')
  return last < 0 ? Number(bare(text)) : Number(`${bare(text.slice(0, last))}.${bare(text.slice(last + 1))}`)
}
