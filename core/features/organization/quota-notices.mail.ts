import type { MailContent } from '../../kernel/ports/identity.ts'
import type { ConsoleLanguage } from '../../kernel/text/languages.ts'
import type { MeterCode } from '../../kernel/words.ts'

/** What a mail tells of a limit that comes near. */
export interface QuotaMailFacts {
  /** The name of the organization. */
  name: string
  meter: MeterCode
  used: number
  limit: number
  percent: number
  /** Whether more is refused past the limit. */
  isHard: boolean
  /** The first day of the month, as `2026-11-01`. */
  period: string
  /** Where the console shows what was used. */
  address: string
}

type QuotaMail = (facts: QuotaMailFacts) => MailContent

/** Formats the first day of the next month, on which all meters begin again, for readers. */
function formatNextMonth(period: string, language: ConsoleLanguage): string {
  const [year = 0, month = 0] = period.split('-').map(Number)
  return new Date(Date.UTC(year, month)).toLocaleDateString(language, { timeZone: 'UTC', dateStyle: 'long' })
}

const englishMeters: Record<MeterCode, string> = {
  'dpp.operations': 'passport operations',
  'loyalty.activeUsers': 'active customers',
  wallets: 'wallets',
  'llm.tokens': 'tokens of language models',
}

const createEnglishMail: QuotaMail = ({ name, meter, used, limit, percent, isHard, period, address }) => {
  const format = (count: number) => count.toLocaleString('en')
  const end = formatNextMonth(period, 'en')
  const rest = isHard
    ? `Past the limit, nothing more is taken until ${end}, when the meter begins again.`
    : `Nothing stops at the limit: what goes beyond it counts on. The meter begins again on ${end}.`
  return {
    subject: `${name}: ${percent} % of the month’s ${englishMeters[meter]} used`,
    parts: [
      `${name} has used ${format(used)} of the ${format(limit)} ${englishMeters[meter]} that its plan allows this month.`,
      rest,
      'Your usage and the plans are in the console:',
      { label: 'Open the console', address },
    ],
  }
}

const frenchMeters: Record<MeterCode, string> = {
  'dpp.operations': 'opérations sur les passeports',
  'loyalty.activeUsers': 'clients actifs',
  wallets: 'portefeuilles',
  'llm.tokens': 'jetons des modèles de langage',
}

const createFrenchMail: QuotaMail = ({ name, meter, used, limit, percent, isHard, period, address }) => {
  const format = (count: number) => count.toLocaleString('fr')
  const end = formatNextMonth(period, 'fr')
  const rest = isHard
    ? `Au-delà de la limite, plus rien n’est accepté jusqu’au ${end}, quand le compteur repart de zéro.`
    : `Rien ne s’arrête à la limite : ce qui la dépasse continue d’être compté. Le compteur repart de zéro le ${end}.`
  return {
    subject: `${name} : ${percent} % utilisés pour ce mois (${frenchMeters[meter]})`,
    parts: [
      `${name} a utilisé ce mois-ci ${format(used)} sur ${format(limit)} de son offre (${frenchMeters[meter]}).`,
      rest,
      'Votre utilisation et les offres se trouvent dans la console :',
      { label: 'Ouvrir la console', address },
    ],
  }
}

/** The mail in each language. */
export const quotaMails: Record<ConsoleLanguage, QuotaMail> = { en: createEnglishMail, fr: createFrenchMail }
