import type { RequestStatus } from '../../../features/dpp/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** Which requests the page shows. */
export const requestStates = ['waiting', 'approved', 'declined', 'all'] as const

/** The texts of the page of requests for passports. */
export interface ClaimRequestWords {
  title: string
  intro: string
  count: (count: string) => string
  state: string
  states: Readonly<Record<RequestStatus | 'all', string>>
  nothingSaid: string
  erased: string
  decidedOn: string
  approve: string
  decline: string
  notClaimable: string
  tooMany: string
  seeAll: string
  emptyHead: string
  emptyText: string
}

const english: ClaimRequestWords = {
  title: 'Claim requests',
  intro:
    'People who hold an item whose passport names nobody like them. Approve, and they get a message with a link by which they claim the passport once. Decline, and they are told that you could not confirm it.',
  count: (count) => (count === '1' ? '1 request' : `${count} requests`),
  state: 'State',
  states: { waiting: 'Waiting', approved: 'Approved', declined: 'Declined', all: 'All' },
  nothingSaid: 'Nothing was said.',
  erased: 'The address was erased.',
  decidedOn: 'Decided on',
  approve: 'Approve',
  decline: 'Decline',
  notClaimable: 'Nobody can claim this passport any more, so the request cannot be approved.',
  tooMany: 'Too many messages went out today. Please try again tomorrow.',
  seeAll: 'See all requests',
  emptyHead: 'No requests wait',
  emptyText: 'Whoever opens the public page of a passport that can be claimed, and is not named in it, can ask for it.',
}

const french: ClaimRequestWords = {
  title: 'Demandes de passeports',
  intro:
    'Des personnes qui ont un article dont le passeport ne les nomme pas. Approuvez : elles reçoivent un message avec un lien qui leur permet de réclamer le passeport, une fois. Refusez : elles apprennent que vous n’avez pas pu le confirmer.',
  count: (count) => (count === '1' ? '1 demande' : `${count} demandes`),
  state: 'État',
  states: { waiting: 'En attente', approved: 'Approuvées', declined: 'Refusées', all: 'Toutes' },
  nothingSaid: 'Rien n’a été dit.',
  erased: 'L’adresse a été effacée.',
  decidedOn: 'Décidé le',
  approve: 'Approuver',
  decline: 'Refuser',
  notClaimable: 'Plus personne ne peut réclamer ce passeport : la demande ne peut pas être approuvée.',
  tooMany: 'Trop de messages sont partis aujourd’hui. Réessayez demain.',
  seeAll: 'Voir toutes les demandes',
  emptyHead: 'Aucune demande en attente',
  emptyText:
    'Quiconque ouvre la page publique d’un passeport qui peut être réclamé, sans y être nommé, peut le demander.',
}

/** The texts of the page in each language. */
export const claimRequestWords: Record<ConsoleLanguage, ClaimRequestWords> = { en: english, fr: french }
