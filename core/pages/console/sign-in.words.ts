import type { ConsoleLanguage } from '../../kernel/text/languages.ts'

/** The texts of the sign-in, of sessions and of the choice of an organization. */
export interface SignInWords {
  title: string
  intro: string
  email: string
  /** What the address is called where it is refused. */
  emailNoun: string
  sendCode: string
  codeTitle: string
  /** Before the address, and after it. */
  sentTo: string
  goodFor: string
  code: string
  signIn: string
  anotherCode: string
  otherAddress: string
  againTitle: string
  againText: (email: string) => string
  againKept: string
  againCancel: string
  goOnTitle: string
  goOnText: string
  goOn: string
  organizations: string
  noneTitle: string
  noneText: string
  create: string
  forWhom: string
  atPresent: string
  choose: string
  chooseFor: (name: string) => string
  deletedTitle: string
  deletedUntil: string
  deletedText: string
  restore: string
  restoreName: (name: string) => string
  sessionsTitle: string
  sessionsIntro: string
  newestOf: (shown: number, total: number) => string
  endOthers: string
  noName: string
  thisOne: string
  since: string
  from: string
  lastUsed: string
  end: string
  endSince: (instant: string) => string
  endQuestion: (agent: string) => string
  endSession: string
  endText: string
  endOthersQuestion: string
  /** @param count how many sessions end */
  endOthersText: (count: number) => string
  codes: Readonly<Record<string, string>>
}

const english: SignInWords = {
  title: 'Sign in',
  intro:
    'For people who work with Tessera in an organization. We send you a code; there is no password. If you are new, the code signs you up.',
  email: 'Your e-mail address',
  emailNoun: 'email',
  sendCode: 'Send me a code',
  codeTitle: 'Your code',
  sentTo: 'We sent six digits to',
  goodFor: 'They are good for 10 minutes.',
  code: 'Your code',
  signIn: 'Sign in',
  anotherCode: 'Send another code',
  otherAddress: 'Use another address',
  againTitle: 'Is it you?',
  againText: (email) =>
    `You signed in more than 12 hours ago. Before you go on, we send a new code to ${email}. You stay signed in whatever you decide.`,
  againKept: 'Nothing was done yet. What you entered is kept until then.',
  againCancel: 'Cancel',
  goOnTitle: 'It is you',
  goOnText: 'What you entered is kept. Nothing was done yet: it is done when you go on.',
  goOn: 'Go on',
  organizations: 'Organizations',
  noneTitle: 'No organization yet',
  noneText:
    'You are signed in, but you work for no organization yet. If yours is here already, ask one of its owners to invite you.',
  create: 'Create a new organization',
  forWhom: 'For whom do you work?',
  atPresent: 'at present',
  choose: 'Choose',
  chooseFor: (name) => `Work for ${name}`,
  deletedTitle: 'Deleted organizations',
  deletedUntil: 'Goes for good on',
  deletedText: 'An owner can restore an organization for 30 days. Keys stay revoked; new ones are made afterwards.',
  restore: 'Restore',
  restoreName: (name) => `Restore ${name}`,
  sessionsTitle: 'Where you are signed in',
  sessionsIntro: 'End what you do not know. Whoever used it is signed out at once.',
  newestOf: (shown, total) => `The newest ${shown} of ${total}.`,
  endOthers: 'End all others',
  noName: 'A program without a name',
  thisOne: 'This one',
  since: 'Since',
  from: 'from',
  lastUsed: 'last used',
  end: 'End',
  endSince: (instant) => `End the session since ${instant}`,
  endQuestion: (agent) => `End this session of ${agent}?`,
  endSession: 'End the session',
  endText: 'Whoever uses it is signed out at once, and needs a new code from your mailbox to come back.',
  endOthersQuestion: 'End all other sessions?',
  endOthersText: (count) =>
    count === 1 ? 'One session ends. Yours here stays.' : `${count} sessions end. Yours here stays.`,
  codes: { AUTH_INVALID_OTP: 'This code is wrong or no longer good. Look for the newest message.' },
}

const french: SignInWords = {
  title: 'Connexion',
  intro:
    'Pour les personnes qui travaillent avec Tessera dans une organisation. Nous vous envoyons un code ; il n’y a pas de mot de passe. Si vous êtes nouveau, le code vous inscrit.',
  email: 'Votre adresse e-mail',
  emailNoun: 'l’adresse e-mail',
  sendCode: 'M’envoyer un code',
  codeTitle: 'Votre code',
  sentTo: 'Nous avons envoyé six chiffres à',
  goodFor: 'Ils sont valables 10 minutes.',
  code: 'Votre code',
  signIn: 'Se connecter',
  anotherCode: 'Envoyer un autre code',
  otherAddress: 'Utiliser une autre adresse',
  againTitle: 'Est-ce bien vous ?',
  againText: (email) =>
    `Votre connexion date de plus de 12 heures. Avant de continuer, nous envoyons un nouveau code à ${email}. Vous restez connecté quoi que vous décidiez.`,
  againKept: 'Rien n’est encore fait. Ce que vous avez saisi est gardé en attendant.',
  againCancel: 'Annuler',
  goOnTitle: 'C’est bien vous',
  goOnText: 'Ce que vous avez saisi est gardé. Rien n’est encore fait : cela se fait quand vous continuez.',
  goOn: 'Continuer',
  organizations: 'Organisations',
  noneTitle: 'Pas encore d’organisation',
  noneText:
    'Vous êtes connecté, mais vous ne travaillez encore pour aucune organisation. Si la vôtre est déjà ici, demandez à un de ses propriétaires de vous inviter.',
  create: 'Créer une nouvelle organisation',
  forWhom: 'Pour qui travaillez-vous ?',
  atPresent: 'en ce moment',
  choose: 'Choisir',
  chooseFor: (name) => `Choisir ${name}`,
  deletedTitle: 'Organisations supprimées',
  deletedUntil: 'Disparaît définitivement le',
  deletedText:
    'Un propriétaire peut restaurer une organisation pendant 30 jours. Les clés restent révoquées ; on en crée de nouvelles ensuite.',
  restore: 'Restaurer',
  restoreName: (name) => `Restaurer ${name}`,
  sessionsTitle: 'Où vous êtes connecté',
  sessionsIntro: 'Mettez fin à ce que vous ne connaissez pas. La personne est déconnectée aussitôt.',
  newestOf: (shown, total) => `Les ${shown} plus récentes sur ${total}.`,
  endOthers: 'Mettre fin à toutes les autres',
  noName: 'Un programme sans nom',
  thisOne: 'Celle-ci',
  since: 'Depuis le',
  from: 'depuis',
  lastUsed: 'dernière utilisation le',
  end: 'Mettre fin',
  endSince: (instant) => `Mettre fin à la session du ${instant}`,
  endQuestion: (agent) => `Mettre fin à cette session de ${agent} ?`,
  endSession: 'Mettre fin à la session',
  endText:
    'La personne qui s’en sert est déconnectée aussitôt ; pour revenir, il lui faut un nouveau code de votre messagerie.',
  endOthersQuestion: 'Mettre fin à toutes les autres sessions ?',
  endOthersText: (count) =>
    count === 1 ? 'Une session prend fin. La vôtre ici reste.' : `${count} sessions prennent fin. La vôtre ici reste.`,
  codes: {
    AUTH_INVALID_OTP: 'Ce code est faux ou n’est plus valable. Cherchez le message le plus récent.',
    RATE_LIMITED: 'Trop de codes ont été demandés. Réessayez un peu plus tard.',
  },
}

/** The texts in each language. */
export const signInWords: Record<ConsoleLanguage, SignInWords> = { en: english, fr: french }
