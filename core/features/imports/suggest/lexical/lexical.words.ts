import { createLazyValue, granularitiesByWord } from '../../transforms/index.ts'
import values from './data/values.json' with { type: 'json' }

/** Returns the currency codes. Source: ISO 4217. */
export const getCurrencyCodes = createLazyValue<ReadonlySet<string>>(() => new Set(Intl.supportedValuesOf('currency')))

export const granularityWords: ReadonlySet<string> = new Set(granularitiesByWord.keys())

export const genderWords: ReadonlySet<string> = new Set(values.genderWords)

export const colorWords: ReadonlySet<string> = new Set(values.colorWords)

export const booleanWords: ReadonlySet<string> = new Set(values.booleanWords)

export const massUnits: ReadonlySet<string> = new Set(values.massUnits)

export const lengthUnits: ReadonlySet<string> = new Set(values.lengthUnits)

/** Sizes of clothes and shoes, such as XL, 38, 42.5, 38-40 or one size. */
export const sizePattern = new RegExp(
  `^(?:${[
    '\\d{0,2}x{0,4}[sl]',
    'm',
    '[x2-6]{1,4}-?l',
    'xs',
    'one ?size',
    'os',
    't?\\.?u\\.?',
    'taglia unica',
    'talla unica',
    'einheitsgr\\S*',
    'taille unique',
    '\\d{1,3}(?:[.,]5)?',
    '\\d{2,3}[-/]\\d{2,3}',
  ].join('|')})$`,
  'i',
)

const seasonNames = values.seasonNames.join('|')

/** The year of a season of fashion, as in SS26, Herbst 2026 or 26FW. */
const seasonYear = '(?:20)?\\d{2}'
export const seasonPattern = new RegExp(
  `^(?:${seasonNames})[\\s/.'-]*${seasonYear}(?:[/-]\\d{2})?$|^${seasonYear}[\\s/.-]?(?:${seasonNames})$`,
)
