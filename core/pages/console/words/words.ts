import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { english, type ConsoleWords } from './english.ts'
import { french } from './french.ts'

export type { ConsoleWords }

/** The texts of the console's pages in each language. */
export const consoleWords: Record<ConsoleLanguage, ConsoleWords> = { en: english, fr: french }
