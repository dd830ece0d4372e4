import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { addRefusals } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { english, type PassportWords } from './english.ts'
import { french } from './french.ts'

export type { PassportWords }

/** The texts of the pages about passports in each language. */
export const passportWords: Readonly<Record<ConsoleLanguage, PassportWords>> = { en: english, fr: french }

/** The words of the console, with those for what is refused here. @param more words for codes that mean more on a page */
export const addPassportRefusals = (
  { words, language }: Pick<ConsolePage, 'words' | 'language'>,
  more: Readonly<Record<string, string>> = {},
): ConsoleWords => addRefusals(words, { ...passportWords[language].codes, ...more })
