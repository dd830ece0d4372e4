import values from './data/values.json' with { type: 'json' }

/** Returns a text in lower case and without accents. */
export const normalizeText = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .trim()

/** Returns a function that computes a value once, at its first call. */
function createLazyValue<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => (value ??= compute())
}

/** The codes that tables of languages name but ISO 3166-1 does not list. */
const unlistedCountryCodes = new Set(values.unlistedCountryCodes)
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** The tables take 50 ms to load, which a process that suggests nothing should not spend while it starts. */
const getCountryNameTables = createLazyValue(() =>
  ['en', 'fr', 'es', 'de', 'it'].map(
    (language) => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }),
  ),
)

/** Returns the country codes of two letters. Source: ISO 3166-1, alpha-2; Unicode CLDR, territories. */
export const getCountryCodes = createLazyValue<ReadonlySet<string>>(() => {
  const [english] = getCountryNameTables()
  const pairs = letters.flatMap((first) => letters.map((second) => first + second))
  return new Set(pairs.filter((code) => !unlistedCountryCodes.has(code) && english?.of(code) !== undefined))
})

/** Returns the names of countries in the five languages, and further names that the tables of languages lack. */
export const getCountryNames = createLazyValue<ReadonlySet<string>>(() => {
  const codes = [...getCountryCodes()]
  const names = getCountryNameTables().flatMap((table) => codes.map((code) => normalizeText(table.of(code) ?? '')))
  return new Set([...names, ...values.countryNames])
})

/** The country codes of three letters. Source: ISO 3166-1, alpha-3. */
export const longCountryCodes: ReadonlySet<string> = new Set(values.longCountryCodes)

/** Returns the currency codes. Source: ISO 4217. */
export const getCurrencyCodes = createLazyValue<ReadonlySet<string>>(() => new Set(Intl.supportedValuesOf('currency')))

export const granularityWords: ReadonlySet<string> = new Set(values.granularityWords)

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
