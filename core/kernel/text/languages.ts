import { parsePreferences } from './accept-header.ts'

/** A list of languages by their codes; the first one is the default. */
export type LanguageList<Name extends string> = readonly [Name, ...Name[]]

/** The languages of what members see: the console, and the mails to them. */
export const consoleLanguages = ['en', 'fr'] as const
export type ConsoleLanguage = (typeof consoleLanguages)[number]

const findExact = <Name extends string>(languages: LanguageList<Name>, text: string): Name | undefined =>
  languages.find((language) => language === text)

/** Finds a language by the name in an address, or returns undefined if it is not in the list. */
export const findLanguage = <Name extends string>(
  languages: LanguageList<Name>,
  text: string | undefined,
): Name | undefined => findExact(languages, text?.toLowerCase() ?? '')

/**
 * Returns the language of the list that the client prefers: among equal weights the first one named, and the default if
 * none is in the list. A range stands for its language in every region: `fr-CA` is French. `*` stands for any language
 * that was not named. Source: RFC 9110, section 12.5.4; RFC 4647, section 3.4.
 * @param acceptLanguage the header as it came, or the tag of a language
 */
export function negotiateLanguage<Name extends string>(
  languages: LanguageList<Name>,
  acceptLanguage: string | readonly string[] | undefined,
): Name {
  const ranges = parsePreferences([acceptLanguage ?? []].flat().join(','))
    .slice(0, 50)
    .map(({ name, quality }) => ({ language: name.split('-', 1)[0] ?? '', quality }))
  const named = new Set(ranges.map(({ language }) => language))
  let best: { language: Name; quality: number } | null = null
  for (const { language: name, quality } of ranges) {
    const language = name === '*' ? languages.find((each) => !named.has(each)) : findExact(languages, name)
    if (language !== undefined && quality > (best?.quality ?? 0)) best = { language, quality }
  }
  return best?.language ?? languages[0]
}
