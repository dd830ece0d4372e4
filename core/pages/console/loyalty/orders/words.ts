import type { LoyaltyOrder } from '../../../../features/loyalty/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'

/** The texts of the page of orders. */
export interface OrderWords {
  title: string
  intro: string
  count: (count: string) => string
  when: string
  account: string
  kind: string
  points: string
  amount: string
  reference: string
  status: string
  statuses: Record<LoyaltyOrder['status'], string>
  every: string
  filter: string
  emptyHead: string
  emptyText: string
  nothing: string
}

const english: OrderWords = {
  title: 'Orders',
  intro: 'Whatever changed the points of an account: orders of shops and tills, grants, and what was taken back.',
  count: (count) => (count === '1' ? '1 order' : `${count} orders`),
  when: 'When',
  account: 'Account',
  kind: 'Kind',
  points: 'Points',
  amount: 'Amount',
  reference: 'Reference',
  status: 'State',
  statuses: { pending: 'waits for the chain', settled: 'settled', failed: 'failed', reversed: 'reversed' },
  every: 'all',
  filter: 'Show',
  emptyHead: 'No orders yet',
  emptyText: 'They come with the first points: from a till, from a program, or from the page of an account.',
  nothing: 'Nothing fits.',
}

const french: OrderWords = {
  title: 'Commandes',
  intro:
    'Tout ce qui a changé les points d’un compte : commandes des boutiques et des caisses, points donnés et repris.',
  count: (count) => (count === '1' ? '1 commande' : `${count} commandes`),
  when: 'Quand',
  account: 'Compte',
  kind: 'Nature',
  points: 'Points',
  amount: 'Montant',
  reference: 'Référence',
  status: 'État',
  statuses: { pending: 'attend la chaîne', settled: 'réglée', failed: 'échouée', reversed: 'annulée' },
  every: 'toutes',
  filter: 'Afficher',
  emptyHead: 'Aucune commande pour le moment',
  emptyText: 'Elles arrivent avec les premiers points : d’une caisse, d’un programme ou de la page d’un compte.',
  nothing: 'Rien ne correspond.',
}

/** The texts of the page of orders in each language. */
export const orderWords: Record<ConsoleLanguage, OrderWords> = { en: english, fr: french }
