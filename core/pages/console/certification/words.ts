import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { addRefusals } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import type { ConsoleWords } from '../words/words.ts'
import { english, type CertificationWords } from './words.en.ts'
import { french } from './words.fr.ts'

export type { CertificationWords }

/** The texts of the pages about certification in each language. */
export const certificationWords: Record<ConsoleLanguage, CertificationWords> = { en: english, fr: french }

/** The words of the console, with those for what is refused here. */
export function addCertificationRefusals({ words, language }: Pick<ConsolePage, 'words' | 'language'>): ConsoleWords {
  const { codes, issues } = certificationWords[language]
  return addRefusals(words, codes, issues)
}
