import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { english, englishExamples } from './words.en.ts'
import { french, frenchExamples } from './words.fr.ts'
import type { BrandingWords, ExampleWords } from './words.types.ts'

export type { BrandingWords }

/** The texts of the pages about branding in each language. */
export const brandingWords: Record<ConsoleLanguage, BrandingWords> = { en: english, fr: french }

/** The made-up content of previews in each language. */
export const exampleWords: Record<ConsoleLanguage, ExampleWords> = { en: englishExamples, fr: frenchExamples }
