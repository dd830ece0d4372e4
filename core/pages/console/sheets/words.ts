import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { addRefusals } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import type { ConsoleWords } from '../words/words.ts'
import { english, type SheetWords } from './words.en.ts'
import { french } from './words.fr.ts'

export type { SheetWords }

/** The texts of the pages about sheets in each language. */
export const sheetWords: Record<ConsoleLanguage, SheetWords> = { en: english, fr: french }

/** The words of the console, with those for what is refused here. */
export function addSheetRefusals({ words, language }: Pick<ConsolePage, 'words' | 'language'>): ConsoleWords {
  const { codes, issues } = sheetWords[language]
  return addRefusals(words, codes, issues)
}
