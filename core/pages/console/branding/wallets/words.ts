import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'

const english = {
  title: (name: string) => `Wallets of ${name}`,
  intro: 'With these credentials cards are made for the wallets of phones, and messages are sent to them.',
  link: 'Credentials of the wallets',
  back: 'Back to the looks',
  cards: 'Cards',
  cardsText:
    'The card that customers put in the wallet of their phone, with a message of a campaign, in these colours.',
  channels: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  connected: 'Connected',
  notConnected: 'Not connected',
  development: 'In development, cards of Apple Wallet work without: with a certificate of their own.',
  ended: 'The certificate has ended. No card is made and no message is sent before there is a new one.',
  endsSoon: 'The certificate ends soon. Set a new one before, so that cards and messages go on.',
  needsIssuer: 'The settings of the application name no issuer of Google Wallet yet. Cards need it too.',
  toSettings: 'Settings of the application',
  passType: 'Pass type',
  team: 'Team',
  issuer: 'Issuer',
  account: 'Service account',
  validUntil: 'Valid until',
  setOn: 'Set on',
  saved: 'The credentials are kept. Their private part is never shown again.',
  certificate: 'Certificate of the pass type, as PEM',
  certificateHint: 'Begins with -----BEGIN CERTIFICATE-----. That of its issuer may stand behind it.',
  privateKey: 'Its private key, as PEM',
  privateKeyHint: 'Without a password. It is kept encrypted, and nobody can read it here again.',
  serviceAccount: 'Key file of the service account, as JSON',
  serviceAccountHint: 'As Google Cloud gives it. It is kept encrypted, and nobody can read it here again.',
  set: 'Set the credentials',
  replace: 'Replace the credentials',
  remove: 'Remove the credentials',
  removeTitle: (wallet: string) => `Remove the credentials of ${wallet}?`,
  removeText: [
    'Cards that phones have stay as they are: their points no longer follow, and they get no messages.',
    'No new cards are made, and campaigns that write to this wallet are refused.',
    'You need the certificate or the key file to connect it again.',
  ],
  needs: (name: string) => `The certificate of Apple Wallet of ${name} ends`,
  issues: {
    mismatch: 'does not fit the other one, or is not of the pass type and team that the application names',
    expired: 'has ended already',
    not_yet_valid: 'is not valid yet',
    too_many: 'has too many certificates',
    json: 'is no key file of a service account',
  } as Record<string, string>,
}

/** The texts of the pages about the credentials of wallets. */
export type WalletWords = typeof english

const french: WalletWords = {
  title: (name) => `Portefeuilles de ${name}`,
  intro:
    'Avec ces identifiants, des cartes sont faites pour les portefeuilles des téléphones, et des messages leur sont envoyés.',
  link: 'Identifiants des portefeuilles',
  back: 'Retour à l’image de marque',
  cards: 'Cartes',
  cardsText:
    'La carte que les clients mettent dans le portefeuille de leur téléphone, avec le message d’une campagne, dans ces couleurs.',
  channels: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  connected: 'Relié',
  notConnected: 'Non relié',
  development: 'En développement, les cartes d’Apple Wallet marchent sans\u00a0: avec un certificat à elles.',
  ended:
    'Le certificat a expiré. Aucune carte n’est faite et aucun message n’est envoyé avant qu’il y en ait un nouveau.',
  endsSoon: 'Le certificat expire bientôt. Posez-en un nouveau avant, pour que cartes et messages continuent.',
  needsIssuer:
    'Les réglages de l’application ne nomment pas encore d’émetteur Google Wallet. Les cartes en ont besoin aussi.',
  toSettings: 'Réglages de l’application',
  passType: 'Type de carte',
  team: 'Équipe',
  issuer: 'Émetteur',
  account: 'Compte de service',
  validUntil: 'Valable jusqu’au',
  setOn: 'Posés le',
  saved: 'Les identifiants sont gardés. Leur partie privée n’est plus jamais montrée.',
  certificate: 'Certificat du type de carte, en PEM',
  certificateHint: 'Commence par -----BEGIN CERTIFICATE-----. Celui de son émetteur peut suivre.',
  privateKey: 'Sa clé privée, en PEM',
  privateKeyHint: 'Sans mot de passe. Elle est gardée chiffrée, et personne ne peut la relire ici.',
  serviceAccount: 'Fichier de clé du compte de service, en JSON',
  serviceAccountHint: 'Tel que Google Cloud le donne. Il est gardé chiffré, et personne ne peut le relire ici.',
  set: 'Poser les identifiants',
  replace: 'Remplacer les identifiants',
  remove: 'Retirer les identifiants',
  removeTitle: (wallet) => `Retirer les identifiants de ${wallet}\u00a0?`,
  removeText: [
    'Les cartes des téléphones restent telles quelles\u00a0: leurs points ne suivent plus, et elles ne reçoivent aucun message.',
    'Aucune nouvelle carte n’est faite, et les campagnes pour ce portefeuille sont refusées.',
    'Il faudra le certificat ou le fichier de clé pour le relier de nouveau.',
  ],
  needs: (name) => `Le certificat d’Apple Wallet de ${name} expire`,
  issues: {
    mismatch: 'ne va pas avec l’autre, ou n’est pas du type de carte et de l’équipe que nomme l’application',
    expired: 'a déjà expiré',
    not_yet_valid: 'n’est pas encore valable',
    too_many: 'a trop de certificats',
    json: 'n’est pas un fichier de clé d’un compte de service',
  },
}

/** The texts of the pages about the credentials of wallets, in each language. */
export const walletWords: Readonly<Record<ConsoleLanguage, WalletWords>> = { en: english, fr: french }
