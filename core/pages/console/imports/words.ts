import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { english, type ImportWords } from './words.en.ts'
import { french } from './words.fr.ts'

export type { ImportWords }

/** The texts of the pages about imports in each language. */
export const importWords: Record<ConsoleLanguage, ImportWords> = { en: english, fr: french }
