import type { Language } from '../kernel/languages.ts'
import { english } from './words.en.ts'
import { french } from './words.fr.ts'
import type { Words } from './words.types.ts'

/** Everything that the page of a passport says by itself, in each language. */
export const words: Record<Language, Words> = { en: english, fr: french }
