import type { ReportKind } from '../../../features/dpp/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** Which reports the page shows. */
export const reportStates = ['open', 'handled', 'all'] as const
export type ReportState = (typeof reportStates)[number]

/** The texts of the page of reports. */
export interface ReportListWords {
  title: string
  intro: string
  count: (count: string) => string
  state: string
  states: Readonly<Record<ReportState, string>>
  kind: string
  kinds: Readonly<Record<ReportKind, string>>
  about: string
  anonymous: string
  handledOn: string
  handle: string
  reopen: string
  onlyOf: string
  seeAll: string
  emptyHead: string
  emptyText: string
  ofPassport: string
}

const english: ReportListWords = {
  title: 'Reports',
  intro:
    'What people report on the public pages of your passports. Anybody can write here without proof, so check before you act.',
  count: (count) => (count === '1' ? '1 report' : `${count} reports`),
  state: 'State',
  states: { open: 'Waiting', handled: 'Handled', all: 'All' },
  kind: 'Kind',
  kinds: { fake: 'Fake', stolen: 'Stolen', defect: 'Defect', other: 'Other' },
  about: 'About',
  anonymous: 'No address was left.',
  handledOn: 'Handled on',
  handle: 'Mark as handled',
  reopen: 'Mark as waiting',
  onlyOf: 'Only of the passport',
  seeAll: 'See all reports',
  emptyHead: 'No reports wait',
  emptyText: 'Whoever opens the public page of a passport can report that a product is fake, stolen or broken.',
  ofPassport: 'Reports of this passport',
}

const french: ReportListWords = {
  title: 'Signalements',
  intro:
    'Ce que le public signale sur les pages de vos passeports. N’importe qui peut écrire ici sans preuve : vérifiez avant d’agir.',
  count: (count) => (count === '1' ? '1 signalement' : `${count} signalements`),
  state: 'État',
  states: { open: 'En attente', handled: 'Traités', all: 'Tous' },
  kind: 'Nature',
  kinds: { fake: 'Contrefaçon', stolen: 'Vol', defect: 'Défaut', other: 'Autre' },
  about: 'À propos de',
  anonymous: 'Aucune adresse n’a été laissée.',
  handledOn: 'Traité le',
  handle: 'Marquer comme traité',
  reopen: 'Remettre en attente',
  onlyOf: 'Seulement du passeport',
  seeAll: 'Voir tous les signalements',
  emptyHead: 'Aucun signalement en attente',
  emptyText:
    'Quiconque ouvre la page publique d’un passeport peut signaler qu’un produit est contrefait, volé ou défectueux.',
  ofPassport: 'Signalements de ce passeport',
}

/** The texts of the page in each language. */
export const reportListWords: Record<ConsoleLanguage, ReportListWords> = { en: english, fr: french }
