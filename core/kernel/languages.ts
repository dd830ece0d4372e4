import { wishesIn } from './weights.ts'

/** Languages of what the public reads, the standard one first. */
export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

/** Names of the languages in themselves. */
export const languageNames: Record<Language, string> = { en: 'English', fr: 'Français' }

const known = (text: string | undefined): Language | undefined => languages.find((language) => language === text)

/** The language that an address asks for by name; undefined for one that there is not. */
export const languageNamed = (text: string | undefined): Language | undefined => known(text?.toLowerCase())

/**
 * The language that a reader likes best; among equals the one named first, and English where none fits. A range stands
 * for its language wherever it is spoken: `fr-CA` is French here. `*` is whatever was not named.
 * Source: RFC 9110, section 12.5.4; RFC 4647, section 3.4.
 */
export function languageOf(accepted: string | undefined): Language {
  const ranges = wishesIn(accepted ?? '').slice(0, 50)
    .map(({ name, quality }) => ({ language: name.split('-', 1)[0] ?? '', quality }))
  const named = new Set(ranges.map(({ language }) => language))
  let best: { language: Language; quality: number } | null = null
  for (const { language: name, quality } of ranges) {
    const language = name === '*' ? languages.find((each) => !named.has(each)) : known(name)
    if (language !== undefined && quality > (best?.quality ?? 0)) best = { language, quality }
  }
  return best?.language ?? languages[0]
}
