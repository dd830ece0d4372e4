import { parsePreferences } from './accept-header.ts'

/** Languages of public pages; the first one is the default. */
export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

/** Name of each language in that language. */
export const languageNames: Record<Language, string> = { en: 'English', fr: 'Français' }

const findLanguage = (text: string | undefined): Language | undefined => languages.find((language) => language === text)

/** Finds a language by the name in an address, or returns undefined if it is not supported. */
export const findLanguageByName = (text: string | undefined): Language | undefined => findLanguage(text?.toLowerCase())

/**
 * Returns the language that the client prefers: among equal weights the first one named, and English if none is
 * supported. A range stands for its language in every region: `fr-CA` is French. `*` stands for any language that was
 * not named. Source: RFC 9110, section 12.5.4; RFC 4647, section 3.4.
 */
export function negotiateLanguage(acceptLanguage: string | undefined): Language {
  const ranges = parsePreferences(acceptLanguage ?? '')
    .slice(0, 50)
    .map(({ name, quality }) => ({ language: name.split('-', 1)[0] ?? '', quality }))
  const named = new Set(ranges.map(({ language }) => language))
  let best: { language: Language; quality: number } | null = null
  for (const { language: name, quality } of ranges) {
    const language = name === '*' ? languages.find((each) => !named.has(each)) : findLanguage(name)
    if (language !== undefined && quality > (best?.quality ?? 0)) best = { language, quality }
  }
  return best?.language ?? languages[0]
}
