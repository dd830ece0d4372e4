import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { addRefusals } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { english, type CampaignWords } from './words.en.ts'
import { french } from './words.fr.ts'

export type { CampaignWords }

/** The texts of the pages of campaigns in each language. */
export const campaignWords: Readonly<Record<ConsoleLanguage, CampaignWords>> = { en: english, fr: french }

/** Returns the words of the console, with those for what the pages of campaigns refuse. */
export function addCampaignRefusals({ words, language }: Pick<ConsolePage, 'words' | 'language'>): ConsoleWords {
  const { refusals, issues } = campaignWords[language]
  return addRefusals(words, refusals, issues)
}
