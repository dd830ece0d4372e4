import type { LabelledValue } from '../../../features/dpp/index.ts'
import { words, type Language } from '../../../languages/index.ts'
import { getNumber, getText } from './members.ts'

/** The units of UN/ECE Recommendation 20 that Intl writes in every language. */
const namedUnits: Readonly<Record<string, string>> = {
  KGM: 'kilogram',
  GRM: 'gram',
  LBR: 'pound',
  ONZ: 'ounce',
  MTR: 'meter',
  CMT: 'centimeter',
  MMT: 'millimeter',
  KMT: 'kilometer',
  INH: 'inch',
  FOT: 'foot',
  YRD: 'yard',
  LTR: 'liter',
  MLT: 'milliliter',
  CEL: 'celsius',
  FAH: 'fahrenheit',
  P1: 'percent',
  SEC: 'second',
  MIN: 'minute',
  HUR: 'hour',
  DAY: 'day',
  WEE: 'week',
  MON: 'month',
  ANN: 'year',
}

/** The units that have one symbol in every language. Source: UN/ECE Recommendation 20, revision 17. */
const symbols: Readonly<Record<string, string>> = {
  MGM: 'mg',
  TNE: 't',
  MTK: 'm²',
  CMK: 'cm²',
  GM: 'g/m²',
  MTQ: 'm³',
  CMQ: 'cm³',
  DMQ: 'dm³',
  CLT: 'cl',
  JOU: 'J',
  KJO: 'kJ',
  '3B': 'MJ',
  WHR: 'Wh',
  KWH: 'kWh',
  WTT: 'W',
  KWT: 'kW',
  VLT: 'V',
  AMP: 'A',
  AMH: 'Ah',
  E09: 'mAh',
  OHM: 'Ω',
  HTZ: 'Hz',
  KEL: 'K',
  BAR: 'bar',
  PAL: 'Pa',
  NEW: 'N',
  '2N': 'dB',
  '59': 'ppm',
}

const createNumberFormat = (language: Language, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 6, ...options })

/** The formats that were asked for, because creating one takes far longer than using it. */
const formats = new Map<string, Intl.NumberFormat>()

function getFormat(language: Language, unit: string | undefined): Intl.NumberFormat {
  const key = `${language} ${unit ?? ''}`
  const known = formats.get(key)
  if (known) return known
  const options = unit === undefined ? {} : ({ style: 'unit', unit, unitDisplay: 'short' } as const)
  const format = createNumberFormat(language, options)
  formats.set(key, format)
  return format
}

/** Formats a number of a unit: `1.2 kg`. A unit that is not known stays as it is. */
function formatQuantity(value: number, unit: string, language: Language): string {
  const named = namedUnits[unit]
  if (named !== undefined) return getFormat(language, named).format(value)
  const symbol = symbols[unit] ?? words[language].product.units[unit] ?? unit
  return `${getFormat(language, undefined).format(value)} ${symbol}`.trim()
}

/**
 * Formats a measure with its tolerances: `1.2 kg ± 0.1`. Null if the value is no measure.
 * Source: UNTP Digital Product Passport 0.7.0, Measure.
 */
export function formatMeasure(measure: LabelledValue | undefined, language: Language): string | null {
  const value = getNumber(measure, 'value')
  const unit = getText(measure, 'unit')
  if (value === null || unit === null) return null
  const quantity = formatQuantity(value, unit, language)
  const format = getFormat(language, undefined)
  const [upper, lower] = [getNumber(measure, 'upperTolerance'), getNumber(measure, 'lowerTolerance')]
  if (upper === null && lower === null) return quantity
  if (upper !== null && upper === lower) return `${quantity} ± ${format.format(upper)}`
  const limits = [upper !== null && `+${format.format(upper)}`, lower !== null && `−${format.format(Math.abs(lower))}`]
  return `${quantity} (${limits.filter((limit) => limit !== false).join(' / ')})`
}

/** Formats a share between 0 and 1 as a percentage with at most one decimal. */
export function formatShare(share: number, language: Language): string {
  const key = `${language} share`
  const format = formats.get(key) ?? createNumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  formats.set(key, format)
  return format.format(share)
}

const regionNames = new Map<string, Intl.DisplayNames>()

function getRegionName(code: string, language: Language): string | undefined {
  const names = regionNames.get(language) ?? new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  regionNames.set(language, names)
  return names.of(code)
}

/**
 * Formats a country in the reader's language. A name that is not that of the code stands beside it. Null if the value
 * names no country. Source: ISO 3166-1.
 */
export function formatCountry(country: LabelledValue | undefined, language: Language): string | null {
  const [code, given] = [getText(country, 'countryCode'), getText(country, 'countryName')]
  const name = code !== null && /^[A-Z]{2}$/.test(code) ? getRegionName(code, language) : undefined
  if (code === null || name === undefined) return given ?? code
  return given === null || given === name || given === getRegionName(code, 'en') ? name : `${name} (${given})`
}
