import type { Action } from '../../../kernel/permission.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the pages about API keys. */
export interface KeyWords {
  title: string
  intro: string
  count: (count: string) => string
  name: string
  nameHint: string
  permissions: string
  ofAll: (count: number, all: number) => string
  application: string
  applicationHint: string
  allApplications: string
  status: string
  states: Record<'active' | 'expired' | 'revoked', string>
  made: string
  ends: string
  never: string
  used: string
  from: (address: string) => string
  action: string
  emptyHead: string
  emptyText: string
  create: string
  newTitle: string
  startFrom: string
  presets: Record<'read' | 'passports' | 'everything', string>
  resource: string
  resources: Readonly<Record<string, string>>
  actions: Record<Action, string>
  lifetime: string
  days: Readonly<Record<string, string>>
  secretTitle: string
  secretText: string
  back: string
  rotate: string
  rotateOf: (name: string) => string
  rotateTitle: (name: string) => string
  rotateText: string
  overlap: string
  hours: Record<'0' | '1' | '24', string>
  revoke: string
  revokeOf: (name: string) => string
  revokeTitle: (name: string) => string
  revokeText: string
  lastUse: (when: string) => string
  neverUsed: string
  codes: Readonly<Record<string, string>>
}

const english: KeyWords = {
  title: 'API keys',
  intro:
    'Programs and assistants sign their requests with a key. A key does what its permissions say, whoever made it.',
  count: (count) => (count === '1' ? '1 key' : `${count} keys`),
  name: 'Name',
  nameHint: 'What the key is for, so that you recognize it later.',
  permissions: 'Permissions',
  ofAll: (count, all) => `${count} of ${all}`,
  application: 'Application',
  applicationHint:
    'A key of one application sees and uses only what belongs to it: passports, sheets, imports, accounts, points. Certification keys and what concerns the whole organization are closed to it.',
  allApplications: 'all applications',
  status: 'State',
  states: { active: 'works', expired: 'expired', revoked: 'revoked' },
  made: 'Created',
  ends: 'Ends',
  never: 'never',
  used: 'Last use',
  from: (address) => `from ${address}`,
  action: 'Action',
  emptyHead: 'No key yet',
  emptyText: 'Create one for your shop, your script, or your assistant.',
  create: 'Create a key',
  newTitle: 'A new key',
  startFrom: 'Begin with:',
  presets: { read: 'read only', passports: 'passports', everything: 'everything' },
  resource: 'What it concerns',
  resources: {
    organization: 'Organization',
    member: 'Members',
    invitation: 'Invitations',
    team: 'Teams',
    application: 'Applications',
    dpp: 'Passports',
    loyalty: 'Loyalty',
    billing: 'Billing',
    settings: 'Settings',
    agentWallet: 'Agent wallets',
    apiKey: 'API keys',
  },
  actions: { read: 'Read', create: 'Create', update: 'Change', delete: 'Delete' },
  lifetime: 'Ends after',
  days: { '': 'never', '30': '30 days', '90': '90 days', '365': 'a year' },
  secretTitle: 'Your new key',
  secretText: 'Copy it now: it is shown this once, and nobody can read it again.',
  back: 'To the keys',
  rotate: 'Rotate',
  rotateOf: (name) => `Rotate ${name}`,
  rotateTitle: (name) => `Rotate ${name}?`,
  rotateText: 'You get a new key with the same name, permissions and end.',
  overlap: 'The old key works on for',
  hours: { '0': 'no time: it ends at once', '1': '1 hour', '24': '24 hours' },
  revoke: 'Revoke',
  revokeOf: (name) => `Revoke ${name}`,
  revokeTitle: (name) => `Revoke ${name}?`,
  revokeText: 'Whatever uses this key is refused within five seconds. This cannot be undone.',
  lastUse: (when) => `It was used last on ${when}.`,
  neverUsed: 'It has never been used.',
  codes: {
    API_KEY_LIMIT: 'At most 100 keys work at a time. Revoke one first.',
    API_KEY_ENDED: 'This key was revoked already, or has expired.',
  },
}

const french: KeyWords = {
  title: 'Clés d’API',
  intro:
    'Les programmes et les assistants signent leurs requêtes avec une clé. Une clé fait ce que disent ses permissions, quelle que soit la personne qui l’a créée.',
  count: (count) => (count === '1' ? '1 clé' : `${count} clés`),
  name: 'Nom',
  nameHint: 'À quoi sert la clé, pour la reconnaître plus tard.',
  permissions: 'Permissions',
  ofAll: (count, all) => `${count} sur ${all}`,
  application: 'Application',
  applicationHint:
    'Une clé d’une seule application ne voit et n’utilise que ce qui lui appartient : passeports, fiches, importations, comptes, points. Les clés de certification et ce qui concerne toute l’organisation lui restent fermés.',
  allApplications: 'toutes les applications',
  status: 'État',
  states: { active: 'fonctionne', expired: 'expirée', revoked: 'révoquée' },
  made: 'Créée',
  ends: 'Fin',
  never: 'jamais',
  used: 'Dernier usage',
  from: (address) => `depuis ${address}`,
  action: 'Action',
  emptyHead: 'Aucune clé pour le moment',
  emptyText: 'Créez-en une pour votre boutique, votre script ou votre assistant.',
  create: 'Créer une clé',
  newTitle: 'Une nouvelle clé',
  startFrom: 'Commencer par :',
  presets: { read: 'lecture seule', passports: 'passeports', everything: 'tout' },
  resource: 'Ce que cela concerne',
  resources: {
    organization: 'Organisation',
    member: 'Membres',
    invitation: 'Invitations',
    team: 'Équipes',
    application: 'Applications',
    dpp: 'Passeports',
    loyalty: 'Fidélité',
    billing: 'Facturation',
    settings: 'Réglages',
    agentWallet: 'Portefeuilles d’agents',
    apiKey: 'Clés d’API',
  },
  actions: { read: 'Lire', create: 'Créer', update: 'Modifier', delete: 'Supprimer' },
  lifetime: 'Prend fin après',
  days: { '': 'jamais', '30': '30 jours', '90': '90 jours', '365': 'un an' },
  secretTitle: 'Votre nouvelle clé',
  secretText: 'Copiez-la maintenant : elle n’est montrée qu’une fois, et personne ne pourra la relire.',
  back: 'Vers les clés',
  rotate: 'Remplacer',
  rotateOf: (name) => `Remplacer ${name}`,
  rotateTitle: (name) => `Remplacer ${name} ?`,
  rotateText: 'Vous recevez une nouvelle clé avec le même nom, les mêmes permissions et la même fin.',
  overlap: 'L’ancienne clé fonctionne encore',
  hours: { '0': 'plus du tout : elle prend fin tout de suite', '1': '1 heure', '24': '24 heures' },
  revoke: 'Révoquer',
  revokeOf: (name) => `Révoquer ${name}`,
  revokeTitle: (name) => `Révoquer ${name} ?`,
  revokeText: 'Tout ce qui utilise cette clé est refusé en moins de cinq secondes. C’est irréversible.',
  lastUse: (when) => `Elle a servi pour la dernière fois le ${when}.`,
  neverUsed: 'Elle n’a jamais servi.',
  codes: {
    API_KEY_LIMIT: 'Au plus 100 clés fonctionnent à la fois. Révoquez-en une d’abord.',
    API_KEY_ENDED: 'Cette clé est déjà révoquée, ou a expiré.',
  },
}

/** The texts of the pages about API keys in each language. */
export const keyWords: Record<ConsoleLanguage, KeyWords> = { en: english, fr: french }
