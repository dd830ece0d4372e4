import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the page for developers. */
export interface DeveloperWords {
  title: string
  intro: string
  requests: string
  count: (count: string) => string
  failedOnly: string
  operation: string
  credential: string
  all: string
  show: string
  time: string
  status: string
  code: string
  duration: string
  milliseconds: (count: string) => string
  requestId: string
  gone: string
  nothing: string
  seeAll: string
  emptyHead: string
  emptyText: string
  emptyLink: string
  jobs: string
  jobsIntro: string
  noJobs: string
  type: string
  failedAt: string
  units: string
  unitsOf: (failed: string, total: string) => string
  cause: string
  unknownCause: string
  action: string
  retry: string
  retryOf: (type: string, time: string) => string
  refusedTitle: string
  refusals: Readonly<Record<string, string>>
}

const english: DeveloperWords = {
  title: 'Developers',
  intro:
    'The last 1,000 requests of your keys and members within 30 days, to find out what failed and why. Nothing of their content is kept.',
  requests: 'Requests',
  count: (count) => (count === '1' ? '1 request' : `${count} requests`),
  failedOnly: 'Only what failed',
  operation: 'Operation',
  credential: 'Key or member',
  all: 'All',
  show: 'Show',
  time: 'Time',
  status: 'Status',
  code: 'Code',
  duration: 'Duration',
  milliseconds: (count) => `${count} ms`,
  requestId: 'Request id',
  gone: 'not there any more',
  nothing: 'No request fits.',
  seeAll: 'See all requests',
  emptyHead: 'No request yet',
  emptyText: 'The first request of a key appears here within a second.',
  emptyLink: 'Make a key',
  jobs: 'Jobs that failed',
  jobsIntro:
    'Units that were done stay done. A job that broke off can go on where it stopped; where nothing is left to do, start anew what the job was for.',
  noJobs: 'No job has failed.',
  type: 'Type',
  failedAt: 'Failed',
  units: 'Units',
  unitsOf: (failed, total) => `${failed} of ${total} failed`,
  cause: 'Cause',
  unknownCause: 'not known',
  action: 'Action',
  retry: 'Run again',
  retryOf: (type, time) => `Run again: ${type}, ${time}`,
  refusedTitle: 'The job was not run again',
  refusals: { AUTH_INSUFFICIENT_PERMISSIONS: 'Your role does not allow this. Ask an owner or an administrator.' },
}

const french: DeveloperWords = {
  title: 'Développement',
  intro:
    'Les 1 000 dernières requêtes de vos clés et de vos membres en 30 jours, pour comprendre ce qui a échoué et pourquoi. Rien de leur contenu n’est conservé.',
  requests: 'Requêtes',
  count: (count) => (count === '1' ? '1 requête' : `${count} requêtes`),
  failedOnly: 'Seulement les échecs',
  operation: 'Opération',
  credential: 'Clé ou membre',
  all: 'Toutes',
  show: 'Afficher',
  time: 'Heure',
  status: 'Statut',
  code: 'Code',
  duration: 'Durée',
  milliseconds: (count) => `${count} ms`,
  requestId: 'Identifiant de la requête',
  gone: 'n’existe plus',
  nothing: 'Aucune requête ne correspond.',
  seeAll: 'Voir toutes les requêtes',
  emptyHead: 'Aucune requête pour le moment',
  emptyText: 'La première requête d’une clé apparaît ici en moins d’une seconde.',
  emptyLink: 'Créer une clé',
  jobs: 'Tâches qui ont échoué',
  jobsIntro:
    'Ce qui est fait reste fait. Une tâche interrompue peut reprendre là où elle s’est arrêtée ; s’il ne reste rien à faire, relancez ce à quoi elle servait.',
  noJobs: 'Aucune tâche n’a échoué.',
  type: 'Type',
  failedAt: 'Échec',
  units: 'Unités',
  unitsOf: (failed, total) => `${failed} sur ${total} en échec`,
  cause: 'Cause',
  unknownCause: 'inconnue',
  action: 'Action',
  retry: 'Relancer',
  retryOf: (type, time) => `Relancer : ${type}, ${time}`,
  refusedTitle: 'La tâche n’a pas été relancée',
  refusals: {
    AUTH_INSUFFICIENT_PERMISSIONS: 'Votre rôle ne le permet pas. Demandez à un propriétaire ou à un administrateur.',
  },
}

/** The texts of the page for developers in each language. */
export const developerWords: Record<ConsoleLanguage, DeveloperWords> = { en: english, fr: french }
