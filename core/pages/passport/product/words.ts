import type { Language } from '../../../kernel/text/languages.ts'
import { english } from './words.en.ts'
import { french } from './words.fr.ts'
import type { ProductWords } from './words.types.ts'

/** The texts of what a page tells about a product, in each language. */
export const productWords: Record<Language, ProductWords> = { en: english, fr: french }
