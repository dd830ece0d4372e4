import type { Permission } from '../../../kernel/permission.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** A way to begin, for whoever has the permission. */
export type FirstStep = readonly [path: string, text: string, permission: Permission]

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
  loyaltyHead: string
  loyaltyLink: string
  loyalty: Readonly<
    Record<
      'accountsCreated' | 'activeAccounts' | 'visits' | 'pointsMinted' | 'pointsBurnt' | 'pointsExpired' | 'orders',
      string
    >
  >
  firstHead: string
  firstSteps: readonly FirstStep[]
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
  loyaltyHead: 'Customers in the last 30 days',
  loyaltyLink: 'All accounts',
  loyalty: {
    accountsCreated: 'New accounts',
    activeAccounts: 'Active accounts',
    visits: 'Visits',
    pointsMinted: 'Points credited',
    pointsBurnt: 'Points taken',
    pointsExpired: 'Points expired',
    orders: 'Orders with points',
  },
  firstHead: 'First steps',
  firstSteps: [
    ['/console/members', 'Invite the people you work with', 'invitation:create'],
    ['/console/applications/new', 'Create an application: one of your shops or sites', 'application:create'],
    ['/console/sheets/new', 'Make a sheet: what the passports of a product say', 'dpp:create'],
    ['/console/imports/new', 'Import a table of products: each line becomes a passport', 'dpp:create'],
    ['/console/keys/new', 'Make an API key for your systems or your assistant', 'apiKey:create'],
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
  loyaltyHead: 'Les clients, les 30 derniers jours',
  loyaltyLink: 'Tous les comptes',
  loyalty: {
    accountsCreated: 'Nouveaux comptes',
    activeAccounts: 'Comptes actifs',
    visits: 'Visites',
    pointsMinted: 'Points crédités',
    pointsBurnt: 'Points repris',
    pointsExpired: 'Points expirés',
    orders: 'Commandes avec points',
  },
  firstHead: 'Premiers pas',
  firstSteps: [
    ['/console/members', 'Inviter vos collègues', 'invitation:create'],
    [
      '/console/applications/new',
      'Créer une application\u00a0: une de vos boutiques ou un de vos sites',
      'application:create',
    ],
    ['/console/sheets/new', 'Faire une fiche\u00a0: ce que disent les passeports d’un produit', 'dpp:create'],
    ['/console/imports/new', 'Importer un tableau de produits\u00a0: chaque ligne devient un passeport', 'dpp:create'],
    ['/console/keys/new', 'Créer une clé d’API pour vos systèmes ou votre assistant', 'apiKey:create'],
  ],
}

export const homeWords: Record<ConsoleLanguage, HomeWords> = { en: english, fr: french }
