import type { Language } from '../../kernel/text/languages.ts'

/** The texts of the page where buyers see what they have. */
export interface MeWords {
  title: (application: string) => string
  intro: string
  unnamed: { head: string; text: string }
  signOut: string
  points: string
  pending: (points: string) => string
  /** Both stand before a day. */
  waiting: (points: string) => string
  expiring: (points: string) => string
  below: string
  tier: string
  visits: string
  toNextTier: (visits: number, tier: string) => string
  onChain: string
  entries: string
  noEntries: string
  kinds: Readonly<Record<string, string>>
  what: string
  balance: string
  passports: string
  noPassports: string
  since: (day: string) => string
  archived: string
  morePassports: (count: number) => string
  wallet: string
}

const english: MeWords = {
  title: (application) => `Yours at ${application}`,
  intro: 'Sign in with a code to see your points and your passports.',
  unnamed: {
    head: 'Whose customer are you?',
    text: 'Open this page with the link of your shop: it says which shop it is.',
  },
  signOut: 'Sign out',
  points: 'Points',
  pending: (points) => `and ${points} that you can use later`,
  waiting: (points) => `${points} more from`,
  expiring: (points) => `${points} expire on`,
  below: 'More was taken back than you had. What you earn next makes up for it.',
  tier: 'Level',
  visits: 'Visits',
  toNextTier: (visits, tier) => `${visits} more ${visits === 1 ? 'visit' : 'visits'} to ${tier}`,
  onChain: 'Final on the chain',
  entries: 'What happened last',
  noEntries: 'No points yet.',
  kinds: {
    mint: 'Points for you',
    burn: 'Points used',
    order: 'Purchase',
    welcome: 'Welcome bonus',
    assignment: 'From before',
    adjust: 'Correction',
    expire: 'Expired',
    reverse: 'Refund',
    visit: 'Visit',
  },
  what: 'What',
  balance: 'Balance',
  passports: 'Your passports',
  noPassports: 'No passport yet. Claim the one of an item with the link that came with it.',
  since: (day) => `yours since ${day}`,
  archived: 'archived',
  morePassports: (count) => `These are the newest ${count}.`,
  wallet: 'Your wallet',
}

const french: MeWords = {
  title: (application) => `À vous chez ${application}`,
  intro: 'Connectez-vous avec un code pour voir vos points et vos passeports.',
  unnamed: {
    head: 'De quelle boutique êtes-vous client\u00a0?',
    text: 'Ouvrez cette page avec le lien de votre boutique\u00a0: il dit de laquelle il s’agit.',
  },
  signOut: 'Se déconnecter',
  points: 'Points',
  pending: (points) => `et ${points} utilisables plus tard`,
  waiting: (points) => `${points} de plus à partir du`,
  expiring: (points) => `${points} expirent le`,
  below: 'Il vous a été repris plus que vous n’aviez. Vos prochains points combleront la différence.',
  tier: 'Niveau',
  visits: 'Visites',
  toNextTier: (visits, tier) => `encore ${visits} ${visits === 1 ? 'visite' : 'visites'} jusqu’à ${tier}`,
  onChain: 'Définitifs sur la chaîne',
  entries: 'Derniers mouvements',
  noEntries: 'Pas encore de points.',
  kinds: {
    mint: 'Points offerts',
    burn: 'Points utilisés',
    order: 'Achat',
    welcome: 'Bonus de bienvenue',
    assignment: 'Points antérieurs',
    adjust: 'Correction',
    expire: 'Expirés',
    reverse: 'Remboursement',
    visit: 'Visite',
  },
  what: 'Mouvement',
  balance: 'Solde',
  passports: 'Vos passeports',
  noPassports: 'Pas encore de passeport. Revendiquez celui d’un article avec le lien qui l’accompagnait.',
  since: (day) => `à vous depuis le ${day}`,
  archived: 'archivé',
  morePassports: (count) => `Voici les ${count} plus récents.`,
  wallet: 'Votre portefeuille',
}

/** The texts of the page in each language. */
export const meWords: Record<Language, MeWords> = { en: english, fr: french }
