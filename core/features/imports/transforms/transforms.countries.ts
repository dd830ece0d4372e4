import countries from './data/countries.json' with { type: 'json' }
import { createTextStep, ValueIssue, type TransformStep } from './transforms.types.ts'

/** Returns a text in lower case and without accents. */
export const normalizeText = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .trim()

/** Returns a function that computes a value once, at its first call. */
export function createLazyValue<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => (value ??= compute())
}

/** The codes that tables of languages name but ISO 3166-1 does not list. */
const unlistedCodes = new Set(countries.unlistedCodes)
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** The tables take 50 ms to load, which a process that reads no country should not spend while it starts. */
const getNameTables = createLazyValue(() =>
  ['en', 'fr', 'es', 'de', 'it'].map(
    (language) => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }),
  ),
)

/** Returns the country codes of two letters. Source: ISO 3166-1, alpha-2; Unicode CLDR, territories. */
export const getCountryCodes = createLazyValue<ReadonlySet<string>>(() => {
  const [english] = getNameTables()
  const pairs = letters.flatMap((first) => letters.map((second) => first + second))
  return new Set(pairs.filter((code) => !unlistedCodes.has(code) && english?.of(code) !== undefined))
})

const codesByLongCode: ReadonlyMap<string, string> = new Map(Object.entries(countries.longCodes))

/** The country codes of three letters. Source: ISO 3166-1, alpha-3. */
export const longCountryCodes: ReadonlySet<string> = new Set(codesByLongCode.keys())

/**
 * Returns the codes by the names of countries in English, French, Spanish, German and Italian, in lower case and without
 * accents, and by further names that the tables of languages lack.
 */
export const getCodesByCountryName = createLazyValue<ReadonlyMap<string, string>>(() => {
  const codes = [...getCountryCodes()]
  const named = getNameTables().flatMap((table) =>
    codes.map((code) => [normalizeText(table.of(code) ?? ''), code] as const),
  )
  return new Map([...named, ...Object.entries(countries.names)])
})

const notCountry = new ValueIssue('not_country', 'is neither the code nor the name of a country')

/** The step that writes a country as its code of two letters. Source: ISO 3166-1. */
export const countryStep: TransformStep = createTextStep((text) => {
  const word = text.trim()
  if (word === '') return undefined
  const code = word.toUpperCase()
  if (getCountryCodes().has(code)) return code
  return codesByLongCode.get(code) ?? getCodesByCountryName().get(normalizeText(word)) ?? notCountry
})
