import type { LabelledValue } from '../../../features/dpp/index.ts'
import { createForLanguages, words, type Language } from '../../../languages/index.ts'
import { findWord, getNumber, getText } from './members.ts'

/** The units of UN/ECE Recommendation 20 that Intl writes in every language. */
const namedUnits = new Map(
  Object.entries({
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
  }),
)

/** The units that have one symbol in every language. Source: UN/ECE Recommendation 20, revision 17. */
const symbols = new Map(
  Object.entries({
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
  }),
)

/** All digits of a number that a brand wrote are shown. */
const maximumFractionDigits = 20

/** The formats of a language, because creating one takes far longer than using it. */
const formats = createForLanguages((language) => {
  const { region } = words[language]
  return {
    number: new Intl.NumberFormat(region, { maximumFractionDigits }),
    // A tenth of a percent, and two digits of what is less than that.
    share: new Intl.NumberFormat(region, {
      style: 'percent',
      maximumFractionDigits: 1,
      maximumSignificantDigits: 2,
      roundingPriority: 'morePrecision',
    }),
    regions: new Intl.DisplayNames(region, { type: 'region', fallback: 'none' }),
    /** Those of units, once they have been asked for. */
    units: new Map<string, Intl.NumberFormat>(),
  }
})

function getUnitFormat(unit: string, language: Language): Intl.NumberFormat {
  const { units } = formats[language]
  const known = units.get(unit)
  if (known) return known
  const format = new Intl.NumberFormat(words[language].region, {
    maximumFractionDigits,
    style: 'unit',
    unit,
    unitDisplay: 'short',
  })
  units.set(unit, format)
  return format
}

/** Formats a number of a unit: `1.2 kg`. A unit that is not known stays as it is. */
function formatQuantity(value: number, unit: string, language: Language): string {
  const named = namedUnits.get(unit)
  if (named !== undefined) return getUnitFormat(named, language).format(value)
  const symbol = symbols.get(unit) ?? findWord(words[language].product.units, unit) ?? unit
  return `${formats[language].number.format(value)} ${symbol}`.trim()
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
  const format = formats[language].number
  const [upper, lower] = [getNumber(measure, 'upperTolerance'), getNumber(measure, 'lowerTolerance')]
  if (upper === null && lower === null) return quantity
  if (upper !== null && upper === lower) return `${quantity} ± ${format.format(upper)}`
  const limits = [upper !== null && `+${format.format(upper)}`, lower !== null && `−${format.format(Math.abs(lower))}`]
  return `${quantity} (${limits.filter((limit) => limit !== false).join(' / ')})`
}

/** Formats a share between 0 and 1 as a percentage with at most one decimal. */
export const formatShare = (share: number, language: Language): string => formats[language].share.format(share)

/**
 * Formats a country in the reader's language. A name that is not that of the code stands beside it. Null if the value
 * names no country. Source: ISO 3166-1.
 */
export function formatCountry(country: LabelledValue | undefined, language: Language): string | null {
  const [code, given] = [getText(country, 'countryCode'), getText(country, 'countryName')]
  const name = code !== null && /^[A-Z]{2}$/.test(code) ? formats[language].regions.of(code) : undefined
  if (code === null || name === undefined) return given ?? code
  return given === null || given === name || given === formats.en.regions.of(code) ? name : `${name} (${given})`
}
