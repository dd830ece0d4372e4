import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { AuditAction } from '../../../kernel/words.ts'
import type { TrailEntry } from '../../../features/audit/index.ts'

/** The texts of the page of the audit trail. */
export interface AuditWords {
  title: string
  intro: string
  /** @param zone IANA time zone */
  zone: (zone: string) => string
  count: (count: number) => string
  at: string
  who: string
  what: string
  target: string
  address: string
  request: string
  erased: string
  actionField: string
  actorField: string
  from: string
  to: string
  nothing: string
  seeAll: string
  /** Above the months that stand on a chain. */
  anchored: string
  anchoredIntro: string
  month: string
  entries: string
  network: string
  transaction: string
  /** In place of the transaction. */
  onItsWay: string
  actors: Record<TrailEntry['actor']['kind'], string>
  actions: Record<AuditAction, string>
}

const english: AuditWords = {
  title: 'Audit trail',
  intro:
    'Who did what to keys, people and settings, and who signed in. Nobody can change it; entries go after 400 days.',
  zone: (zone) => `Times are those of ${zone}.`,
  count: (count) => (count === 1 ? '1 entry' : `${count.toLocaleString('en')} entries`),
  at: 'When',
  who: 'Who',
  what: 'What',
  target: 'Whom or what it was about',
  address: 'From the address',
  request: 'Request',
  erased: 'erased',
  actionField: 'What was done',
  actorField: 'Part of the name of who did it',
  from: 'First day',
  to: 'Last day',
  nothing: 'Nothing fits.',
  seeAll: 'See all',
  anchored: 'Months on a chain',
  anchoredIntro:
    'A month that is over is sealed by a transaction on a public chain: whoever rewrote its entries would be found out.',
  month: 'Month',
  entries: 'Entries',
  network: 'Network',
  transaction: 'Transaction',
  onItsWay: 'on its way',
  actors: { member: 'Member', key: 'API key', operator: 'Operator of the platform' },
  actions: {
    'api-key.create': 'API key created',
    'api-key.rotate': 'API key rotated',
    'api-key.revoke': 'API key revoked',
    'invitation.send': 'Person invited',
    'invitation.withdraw': 'Invitation withdrawn',
    'invitation.accept': 'Invitation accepted',
    'invitation.decline': 'Invitation declined',
    'member.add': 'Member added',
    'member.change-role': 'Role changed',
    'member.remove': 'Member removed',
    'member.leave': 'Member left',
    'organization.create': 'Organization created',
    'organization.update': 'Settings changed',
    'organization.delete': 'Organization deleted',
    'organization.restore': 'Organization restored',
    'session.sign-in': 'Signed in',
    'session.sign-out': 'Signed out',
    'session.end': 'Session ended',
    'certification-key.rotate': 'Certification key rotated',
    'certification-key.revoke': 'Certification key revoked',
    'plan.set': 'Plan changed',
    'quota.reach': 'Part of a limit used',
    'did-web.set': 'did:web domain set',
    'did-web.remove': 'did:web domain removed',
  },
}

const french: AuditWords = {
  title: 'Journal d’audit',
  intro:
    'Qui a fait quoi aux clés, aux personnes et aux réglages, et qui s’est connecté. Personne ne peut le modifier ; les entrées partent après 400 jours.',
  zone: (zone) => `Les heures sont celles de ${zone}.`,
  count: (count) => (count === 1 ? '1 entrée' : `${count.toLocaleString('fr')} entrées`),
  at: 'Quand',
  who: 'Qui',
  what: 'Quoi',
  target: 'Qui ou quoi était concerné',
  address: 'Depuis l’adresse',
  request: 'Requête',
  erased: 'effacé',
  actionField: 'Ce qui a été fait',
  actorField: 'Partie du nom de l’auteur',
  from: 'Premier jour',
  to: 'Dernier jour',
  nothing: 'Rien ne correspond.',
  seeAll: 'Tout voir',
  anchored: 'Mois inscrits sur une chaîne',
  anchoredIntro:
    'Un mois écoulé est scellé par une transaction sur une chaîne publique : toute réécriture de ses lignes se verrait.',
  month: 'Mois',
  entries: 'Lignes',
  network: 'Réseau',
  transaction: 'Transaction',
  onItsWay: 'en cours',
  actors: { member: 'Membre', key: 'Clé d’API', operator: 'Opérateur de la plateforme' },
  actions: {
    'api-key.create': 'Clé d’API créée',
    'api-key.rotate': 'Clé d’API remplacée',
    'api-key.revoke': 'Clé d’API révoquée',
    'invitation.send': 'Personne invitée',
    'invitation.withdraw': 'Invitation annulée',
    'invitation.accept': 'Invitation acceptée',
    'invitation.decline': 'Invitation refusée',
    'member.add': 'Membre ajouté',
    'member.change-role': 'Rôle changé',
    'member.remove': 'Membre retiré',
    'member.leave': 'Membre parti',
    'organization.create': 'Organisation créée',
    'organization.update': 'Réglages modifiés',
    'organization.delete': 'Organisation supprimée',
    'organization.restore': 'Organisation restaurée',
    'session.sign-in': 'Connexion',
    'session.sign-out': 'Déconnexion',
    'session.end': 'Session terminée',
    'certification-key.rotate': 'Clé de certification remplacée',
    'certification-key.revoke': 'Clé de certification révoquée',
    'plan.set': 'Offre changée',
    'quota.reach': 'Part d’une limite utilisée',
    'did-web.set': 'Domaine did:web défini',
    'did-web.remove': 'Domaine did:web retiré',
  },
}

/** The texts of the page of the audit trail in each language. */
export const auditWords: Record<ConsoleLanguage, AuditWords> = { en: english, fr: french }

/** All actions, in the order in which the page offers them. */
export const auditActions = Object.keys(english.actions) as AuditAction[]
