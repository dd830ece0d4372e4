import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { EventSubject, EventSubjects } from '../../../kernel/words.ts'

/** What the filter of the page offers. */
export const subjects = ['dppPassport', 'application', 'wallet'] as const satisfies EventSubject[]
type Subject = (typeof subjects)[number]

/** The texts of the page of events. */
export interface EventWords {
  title: string
  intro: string
  count: (count: string) => string
  when: string
  what: string
  about: string
  /** What happened, by its subject and type. */
  happened: { readonly [S in Subject]: Readonly<Record<EventSubjects[S], string>> }
  subject: string
  subjects: Readonly<Record<Subject, string>>
  type: string
  types: Readonly<Record<EventSubjects[Subject], string>>
  passport: string
  product: string
  item: string
  granularity: string
  granularities: Readonly<Record<'model' | 'batch' | 'item', string>>
  since: string
  until: string
  unknown: string
  gone: string
  seeAll: string
  emptyHead: string
  emptyText: string
  link: string
}

const english: EventWords = {
  title: 'Events',
  intro: 'What happened to applications, passports and wallets, the newest first.',
  count: (count) => (count === '1' ? '1 event' : `${count} events`),
  when: 'When',
  what: 'What happened',
  about: 'About',
  happened: {
    application: { create: 'Application created', update: 'Application changed', delete: 'Application deleted' },
    dppPassport: {
      create: 'Passport created',
      update: 'Passport changed',
      delete: 'Passport deleted',
      publish: 'Passport published',
      claim: 'Passport claimed by a buyer',
      scan: 'Passport read by somebody outside the organization',
      transfer: 'Token of a passport moved to another wallet',
    },
    wallet: { create: 'Wallet made', update: 'Wallet changed', delete: 'Wallet deleted' },
  },
  subject: 'Happened to',
  subjects: { dppPassport: 'Passports', application: 'Applications', wallet: 'Wallets' },
  type: 'Kind',
  types: {
    create: 'Created',
    update: 'Changed',
    delete: 'Deleted',
    publish: 'Published',
    claim: 'Claimed',
    scan: 'Read',
    transfer: 'Moved',
  },
  passport: 'Identifier of the passport',
  product: 'Part of the product’s name',
  item: 'Part of the serial number',
  granularity: 'What the product stands for',
  granularities: { model: 'Model', batch: 'Batch', item: 'Single item' },
  since: 'From the day',
  until: 'To the day',
  unknown: 'number not registered',
  gone: 'deleted since',
  seeAll: 'See all events',
  emptyHead: 'Nothing has happened yet',
  emptyText: 'Events come with passports and their buyers. Begin with a passport.',
  link: 'All events',
}

const french: EventWords = {
  title: 'Événements',
  intro: 'Ce qui est arrivé aux applications, aux passeports et aux portefeuilles, le plus récent en premier.',
  count: (count) => (count === '1' ? '1 événement' : `${count} événements`),
  when: 'Quand',
  what: 'Ce qui est arrivé',
  about: 'À propos de',
  happened: {
    application: { create: 'Application créée', update: 'Application modifiée', delete: 'Application supprimée' },
    dppPassport: {
      create: 'Passeport créé',
      update: 'Passeport modifié',
      delete: 'Passeport supprimé',
      publish: 'Passeport publié',
      claim: 'Passeport réclamé par un acheteur',
      scan: 'Passeport lu par quelqu’un hors de l’organisation',
      transfer: 'Jeton d’un passeport passé à un autre portefeuille',
    },
    wallet: { create: 'Portefeuille créé', update: 'Portefeuille modifié', delete: 'Portefeuille supprimé' },
  },
  subject: 'Arrivé à',
  subjects: { dppPassport: 'Passeports', application: 'Applications', wallet: 'Portefeuilles' },
  type: 'Genre',
  types: {
    create: 'Créé',
    update: 'Modifié',
    delete: 'Supprimé',
    publish: 'Publié',
    claim: 'Réclamé',
    scan: 'Lu',
    transfer: 'Passé à un autre',
  },
  passport: 'Identifiant du passeport',
  product: 'Partie du nom du produit',
  item: 'Partie du numéro de série',
  granularity: 'Ce que le produit désigne',
  granularities: { model: 'Modèle', batch: 'Lot', item: 'Pièce unique' },
  since: 'À partir du',
  until: 'Jusqu’au',
  unknown: 'numéro non enregistré',
  gone: 'supprimé depuis',
  seeAll: 'Voir tous les événements',
  emptyHead: 'Rien n’est encore arrivé',
  emptyText: 'Les événements viennent avec les passeports et leurs acheteurs. Commencez par un passeport.',
  link: 'Tous les événements',
}

/** The texts in each language. */
export const eventWords: Record<ConsoleLanguage, EventWords> = { en: english, fr: french }
