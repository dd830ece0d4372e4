import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { MeterCode } from '../../../kernel/words.ts'

/** The texts about the plan of an organization, and what it has used. */
export interface UsageWords {
  usageHead: (plan: string) => string
  usageUntil: string
  ofLimit: (used: string, limit: string) => string
  noLimit: string
  meters: Readonly<Record<MeterCode, string>>
  openPortal: string
  plans: string
  comparePlans: string
  yours: string
  plansIntro: string
  plan: string
  monthlyPrice: string
  pastLimit: (price: string) => string
  freePast: string
  nothingPast: string
  toOrganization: string
}

const english: UsageWords = {
  usageHead: (plan) => `Usage this month, plan ${plan}`,
  usageUntil: 'The meters begin again on',
  ofLimit: (used, limit) => `${used} of ${limit}`,
  noLimit: 'no limit',
  meters: {
    'dpp.operations': 'Passport operations',
    'loyalty.activeUsers': 'Active customers',
    wallets: 'Wallets',
    'llm.tokens': 'Tokens of language models',
  },
  openPortal: 'Plan and invoices',
  plans: 'Plans',
  comparePlans: 'Compare the plans',
  yours: 'your plan',
  plansIntro: 'What each plan costs, and what it allows of each meter in a month.',
  plan: 'Plan',
  monthlyPrice: 'Price of a month',
  pastLimit: (price) => `then ${price} each`,
  freePast: 'then at no charge',
  nothingPast: 'then no more',
  toOrganization: 'Your organization',
}

const french: UsageWords = {
  usageHead: (plan) => `Utilisation ce mois-ci, offre ${plan}`,
  usageUntil: 'Les compteurs repartent de zéro le',
  ofLimit: (used, limit) => `${used} sur ${limit}`,
  noLimit: 'sans limite',
  meters: {
    'dpp.operations': 'Opérations sur les passeports',
    'loyalty.activeUsers': 'Clients actifs',
    wallets: 'Portefeuilles',
    'llm.tokens': 'Jetons des modèles de langage',
  },
  openPortal: 'Offre et factures',
  plans: 'Offres',
  comparePlans: 'Comparer les offres',
  yours: 'votre offre',
  plansIntro: 'Ce que coûte chaque offre, et ce qu’elle permet de chaque compteur par mois.',
  plan: 'Offre',
  monthlyPrice: 'Prix par mois',
  pastLimit: (price) => `puis ${price} l’unité`,
  freePast: 'puis sans frais',
  nothingPast: 'puis plus rien',
  toOrganization: 'Votre organisation',
}

export const usageWords: Record<ConsoleLanguage, UsageWords> = { en: english, fr: french }
