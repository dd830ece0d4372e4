import type { Language } from '../../../kernel/text/languages.ts'

/** The texts of the first page. */
export interface HomeWords {
  title: string
  needsHead: string
  needsNothing: string
  failedJobs: (count: string) => string
  expiringKey: (name: string) => string
  waitingKey: string
  nearLimit: (meter: string, used: string, limit: string) => string
  passportsHead: string
  statuses: Readonly<Record<'draft' | 'published' | 'claimed' | 'archived', string>>
  activityHead: string
  scans: string
  claims: string
  totalOf: (name: string, total: string) => string
  tableOf: (name: string) => string
  day: string
  firstHead: string
  firstSteps: readonly (readonly [path: string, text: string])[]
}

const english: HomeWords = {
  title: 'Home',
  needsHead: 'What needs somebody',
  needsNothing: 'Nothing waits for you.',
  failedJobs: (count) => (count === '1' ? '1 job failed' : `${count} jobs failed`),
  expiringKey: (name) => `The key ${name} expires`,
  waitingKey: 'A certification key waits for a network to register it',
  nearLimit: (meter, used, limit) => `${meter}: ${used} of ${limit} are used`,
  passportsHead: 'Passports',
  statuses: { draft: 'Drafts', published: 'Published', claimed: 'Claimed', archived: 'Archived' },
  activityHead: 'The last 30 days',
  scans: 'Scans',
  claims: 'Claims',
  totalOf: (name, total) => `${name}: ${total}`,
  tableOf: (name) => `${name} by day`,
  day: 'Day',
  firstHead: 'First steps',
  firstSteps: [
    ['/console/imports/new', 'Import a table of products'],
    ['/console/keys/new', 'Make an API key for your systems or your assistant'],
    ['/console/members', 'Invite the people you work with'],
  ],
}

const french: HomeWords = {
  title: 'Accueil',
  needsHead: 'Ce qui demande quelqu’un',
  needsNothing: 'Rien ne vous attend.',
  failedJobs: (count) => (count === '1' ? '1 tâche a échoué' : `${count} tâches ont échoué`),
  expiringKey: (name) => `La clé ${name} expire`,
  waitingKey: 'Une clé de certification attend son enregistrement sur un réseau',
  nearLimit: (meter, used, limit) => `${meter} : ${used} sur ${limit} utilisés`,
  passportsHead: 'Passeports',
  statuses: { draft: 'Brouillons', published: 'Publiés', claimed: 'Réclamés', archived: 'Archivés' },
  activityHead: 'Les 30 derniers jours',
  scans: 'Scans',
  claims: 'Réclamations',
  totalOf: (name, total) => `${name} : ${total}`,
  tableOf: (name) => `${name} par jour`,
  day: 'Jour',
  firstHead: 'Premiers pas',
  firstSteps: [
    ['/console/imports/new', 'Importer un tableau de produits'],
    ['/console/keys/new', 'Créer une clé d’API pour vos systèmes ou votre assistant'],
    ['/console/members', 'Inviter vos collègues'],
  ],
}

export const homeWords: Record<Language, HomeWords> = { en: english, fr: french }
