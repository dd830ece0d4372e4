import type { Role } from '../../../kernel/permission.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { consoleWords } from '../words/words.ts'

/** The texts of the pages about the people of an organization. */
export interface PeopleWords {
  title: string
  intro: string
  count: (count: string) => string
  person: string
  role: string
  roleOf: (person: string) => string
  since: string
  action: string
  you: string
  roles: Record<Role, string>
  roleUses: Record<Role, string>
  save: string
  remove: string
  removePerson: (person: string) => string
  leave: string
  leaveTitle: (organization: string) => string
  removeTitle: (person: string) => string
  removeText: string
  leaveText: string
  staysText: string
  rolesHead: string
  inviteHead: string
  inviteText: string
  email: string
  invite: string
  invitedHead: string
  until: string
  again: string
  againTo: (email: string) => string
  withdraw: string
  withdrawFrom: (email: string) => string
  invitation: string
  invitationText: (role: string) => string
  accept: string
  decline: string
  declinedTitle: string
  declinedText: string
  endedTitle: string
  endedText: string
  notYoursTitle: string
  notYoursText: (email: string) => string
  codes: Readonly<Record<string, string>>
}

const english: PeopleWords = {
  title: 'Members',
  intro: 'The people who work for this organization, and what each of them may do.',
  count: (count) => (count === '1' ? '1 member' : `${count} members`),
  person: 'Person',
  role: 'Role',
  roleOf: (person) => `Role of ${person}`,
  since: 'Since',
  action: 'Action',
  you: 'you',
  roles: consoleWords.en.roles,
  roleUses: {
    owner: 'does everything, and alone can delete the organization',
    admin: 'manages people, keys and settings, and does what editors do',
    editor: 'creates and changes products, passports and points',
    viewer: 'reads products, passports and points',
  },
  save: 'Save',
  remove: 'Remove',
  removePerson: (person) => `Remove ${person}`,
  leave: 'Leave',
  leaveTitle: (organization) => `Leave ${organization}?`,
  removeTitle: (person) => `Remove ${person}?`,
  removeText: 'This person can do nothing here from their next click on.',
  leaveText: 'You can do nothing here from your next click on. Only an invitation brings you back.',
  staysText: 'What the person made stays with the organization.',
  rolesHead: 'What the roles mean',
  inviteHead: 'Invite a person',
  inviteText: 'They get a mail with a link that is good for 7 days.',
  email: 'E-mail address',
  invite: 'Send the invitation',
  invitedHead: 'Invitations that are open',
  until: 'Until',
  again: 'Send again',
  againTo: (email) => `Send the invitation to ${email} again`,
  withdraw: 'Withdraw',
  withdrawFrom: (email) => `Withdraw the invitation to ${email}`,
  invitation: 'You are invited',
  invitationText: (role) => `You are invited to work there as: ${role}.`,
  accept: 'Accept',
  decline: 'Decline',
  declinedTitle: 'You have declined',
  declinedText: 'Nothing else happens. You can close this page.',
  endedTitle: 'This invitation has ended',
  endedText: 'It was used, withdrawn, or is older than 7 days. Ask for a new one.',
  notYoursTitle: 'This invitation is not for this address',
  notYoursText: (email) =>
    `You are signed in as ${email}. Sign out, and sign in with the address that the mail went to.`,
  codes: {
    MEMBER_EXISTS: 'This person is a member already.',
    MEMBER_LAST_OWNER: 'An organization keeps one owner at least. Make somebody else an owner first.',
    INVITATION_LIMIT: 'At most 100 invitations can be open at a time. Withdraw one first.',
    RATE_LIMITED: 'Enough mails went to this address, or from this organization, for one day. Try again tomorrow.',
    INVITATION_NOT_OPEN: 'This invitation was used, withdrawn or has expired.',
    AUTH_INSUFFICIENT_PERMISSIONS: 'Only an owner can make, change or remove an owner.',
  },
}

const french: PeopleWords = {
  title: 'Membres',
  intro: 'Les personnes qui travaillent pour cette organisation, et ce que chacune peut faire.',
  count: (count) => (count === '1' ? '1 membre' : `${count} membres`),
  person: 'Personne',
  role: 'Rôle',
  roleOf: (person) => `Rôle de ${person}`,
  since: 'Depuis',
  action: 'Action',
  you: 'vous',
  roles: consoleWords.fr.roles,
  roleUses: {
    owner: 'fait tout, et peut seul supprimer l’organisation',
    admin: 'gère les personnes, les clés et les réglages, et fait ce que font les éditeurs',
    editor: 'crée et modifie les produits, les passeports et les points',
    viewer: 'lit les produits, les passeports et les points',
  },
  save: 'Enregistrer',
  remove: 'Retirer',
  removePerson: (person) => `Retirer ${person}`,
  leave: 'Quitter',
  leaveTitle: (organization) => `Quitter ${organization} ?`,
  removeTitle: (person) => `Retirer ${person} ?`,
  removeText: 'Cette personne ne pourra plus rien faire ici dès son prochain clic.',
  leaveText: 'Vous ne pourrez plus rien faire ici dès votre prochain clic. Seule une invitation vous ramènera.',
  staysText: 'Ce que la personne a créé reste à l’organisation.',
  rolesHead: 'Ce que veulent dire les rôles',
  inviteHead: 'Inviter une personne',
  inviteText: 'Elle reçoit un e-mail avec un lien valable 7 jours.',
  email: 'Adresse e-mail',
  invite: 'Envoyer l’invitation',
  invitedHead: 'Invitations en cours',
  until: 'Jusqu’au',
  again: 'Renvoyer',
  againTo: (email) => `Renvoyer l’invitation à ${email}`,
  withdraw: 'Annuler',
  withdrawFrom: (email) => `Annuler l’invitation à ${email}`,
  invitation: 'Vous êtes invité',
  invitationText: (role) => `On vous invite à y travailler en tant que : ${role}.`,
  accept: 'Accepter',
  decline: 'Refuser',
  declinedTitle: 'Vous avez refusé',
  declinedText: 'Rien d’autre ne se passe. Vous pouvez fermer cette page.',
  endedTitle: 'Cette invitation a pris fin',
  endedText: 'Elle a été utilisée, annulée, ou date de plus de 7 jours. Demandez-en une nouvelle.',
  notYoursTitle: 'Cette invitation n’est pas pour cette adresse',
  notYoursText: (email) =>
    `Vous êtes connecté en tant que ${email}. Déconnectez-vous, puis connectez-vous avec l’adresse qui a reçu l’e-mail.`,
  codes: {
    MEMBER_EXISTS: 'Cette personne est déjà membre.',
    MEMBER_LAST_OWNER: 'Une organisation garde au moins un propriétaire. Nommez d’abord quelqu’un d’autre.',
    INVITATION_LIMIT: 'Au plus 100 invitations peuvent être en cours. Annulez-en une d’abord.',
    RATE_LIMITED:
      'Assez d’e-mails sont partis vers cette adresse, ou de cette organisation, pour un jour. Réessayez demain.',
    INVITATION_NOT_OPEN: 'Cette invitation a été utilisée, annulée ou a expiré.',
    AUTH_INSUFFICIENT_PERMISSIONS: 'Seul un propriétaire peut nommer, modifier ou retirer un propriétaire.',
  },
}

/** The texts of the pages about people in each language. */
export const peopleWords: Record<ConsoleLanguage, PeopleWords> = { en: english, fr: french }
