import type { LanguageList } from '../kernel/text/languages.ts'
import { english } from './english/index.ts'
import { french } from './french/index.ts'
import { german } from './german/index.ts'
import { italian } from './italian/index.ts'
import { spanish } from './spanish/index.ts'
import type { Words } from './words.types.ts'

export type { MistakeWords } from './words.types.ts'

/** The languages of public pages and of messages to buyers, with their words. The first one is the default. */
export const words = { en: english, fr: french, de: german, it: italian, es: spanish } satisfies Record<string, Words>

export type Language = keyof typeof words

/** The codes of the languages. */
export const languages = Object.keys(words) as readonly string[] as LanguageList<Language>

/** Creates one value for each language. */
export const createForLanguages = <Value>(create: (language: Language) => Value): Record<Language, Value> =>
  Object.fromEntries(languages.map((language) => [language, create(language)])) as Record<Language, Value>
