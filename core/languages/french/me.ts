import type { MeWords } from '../words.types.ts'
import { choose, format } from './numerals.ts'

export const me: MeWords = {
  title: (application) => `À vous chez ${application}`,
  intro: 'Connectez-vous avec un code pour voir vos points et vos passeports.',
  unnamed: {
    head: 'De quelle boutique êtes-vous client\u00a0?',
    text: 'Ouvrez cette page avec le lien de votre boutique\u00a0: il dit de laquelle il s’agit.',
  },
  signOut: 'Se déconnecter',
  points: 'Points',
  pointsAfter: (points) => choose(points, { one: 'point', other: 'points' }),
  pending: (points) => `et ${format(points)} ${choose(points, { one: 'utilisable', other: 'utilisables' })} plus tard`,
  waiting: (points) => `${format(points)} de plus à partir du`,
  expiring: (points) => `${format(points)} ${choose(points, { one: 'expire', other: 'expirent' })} le`,
  below: 'Il vous a été repris plus que vous n’aviez. Vos prochains points combleront la différence.',
  tier: 'Niveau',
  visits: 'Visites',
  toNextTier: (visits, tier) =>
    `encore ${format(visits)} ${choose(visits, { one: 'visite', other: 'visites' })} jusqu’à ${tier}`,
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
  morePassports: (count) => `Voici les ${format(count)} plus récents.`,
}
