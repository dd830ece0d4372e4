import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of our own billing page, and of the way to that of a provider. */
export interface PortalWords {
  title: string
  price: (price: string) => string
  planHead: (plan: string) => string
  choosePlan: string
  planHint: string
  changePlan: string
  changed: string
  /** Who changes the plan where nobody can do it here. */
  operatorDecides: string
  invoicesHead: string
  invoiceDue: string
  invoiceHint: string
  line: string
  units: string
  unitPrice: string
  amount: string
  total: string
  planLine: (plan: string) => string
  overageLine: (meter: string) => string
  back: (host: string) => string
  endedTitle: string
  ended: string
  another: string
  leaveTitle: string
  leave: (host: string) => string
  continue: (host: string) => string
}

const english: PortalWords = {
  title: 'Plan and invoices',
  price: (price) => `${price} a month`,
  planHead: (plan) => `Plan ${plan}`,
  choosePlan: 'Plan',
  planHint: 'Its limits count at once. Nothing is paid in development.',
  changePlan: 'Change the plan',
  changed: 'The plan is changed.',
  operatorDecides: 'The operator of the platform changes the plan.',
  invoicesHead: 'Invoices to come',
  invoiceDue: 'Due on',
  invoiceHint: 'As it would be if nothing more was used this month.',
  line: 'For',
  units: 'Units',
  unitPrice: 'Price of one',
  amount: 'Amount',
  total: 'Total',
  planLine: (plan) => `Plan ${plan}, this month`,
  overageLine: (meter) => `${meter} past the limit`,
  back: (host) => `Back to ${host}`,
  endedTitle: 'This link has ended',
  ended: 'It opens the page once, within 10 minutes.',
  another: 'Open the page again',
  leaveTitle: 'Plan and invoices',
  leave: (host) => `Plan, payment and invoices are looked after at ${host}. The link works for 5 minutes.`,
  continue: (host) => `Go on to ${host}`,
}

const french: PortalWords = {
  title: 'Offre et factures',
  price: (price) => `${price} par mois`,
  planHead: (plan) => `Offre ${plan}`,
  choosePlan: 'Offre',
  planHint: 'Ses limites comptent aussitôt. Rien n’est payé en développement.',
  changePlan: 'Changer d’offre',
  changed: 'L’offre est changée.',
  operatorDecides: 'C’est l’opérateur de la plateforme qui change l’offre.',
  invoicesHead: 'Factures à venir',
  invoiceDue: 'Le',
  invoiceHint: 'Telle qu’elle serait si plus rien n’était utilisé ce mois-ci.',
  line: 'Pour',
  units: 'Unités',
  unitPrice: 'Prix unitaire',
  amount: 'Montant',
  total: 'Total',
  planLine: (plan) => `Offre ${plan}, ce mois-ci`,
  overageLine: (meter) => `${meter} au-delà de la limite`,
  back: (host) => `Retour à ${host}`,
  endedTitle: 'Ce lien n’est plus valable',
  ended: 'Il ouvre la page une fois, dans les 10 minutes.',
  another: 'Ouvrir la page à nouveau',
  leaveTitle: 'Offre et factures',
  leave: (host) => `L’offre, le paiement et les factures se gèrent sur ${host}. Le lien vaut 5 minutes.`,
  continue: (host) => `Continuer vers ${host}`,
}

export const portalWords: Record<ConsoleLanguage, PortalWords> = { en: english, fr: french }
