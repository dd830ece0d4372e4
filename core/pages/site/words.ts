import type { Language } from '../../kernel/text/languages.ts'
import { english } from './words.en.ts'
import { french } from './words.fr.ts'
import type { Words } from './words.types.ts'

/** The texts of the public pages in each language. */
export const words: Record<Language, Words> = { en: english, fr: french }
