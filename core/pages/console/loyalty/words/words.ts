import type { Language } from '../../../../kernel/text/languages.ts'
import { english, type LoyaltyWords } from './english.ts'
import { french } from './french.ts'

export type { LoyaltyWords }

/** The texts of the console's pages about points in each language. */
export const loyaltyWords: Record<Language, LoyaltyWords> = { en: english, fr: french }
