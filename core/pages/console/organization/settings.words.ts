import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the page about the organization itself. */
interface SettingsWords {
  title: string
  name: string
  nameHint: string
  slug: string
  slugHint: string
  timeZone: string
  timeZoneHint: string
  locale: string
  localeHint: string
  currency: string
  currencyHint: string
  currencySet: string
  noCurrency: string
  ways: string
  waysHint: string
  /** Before ways to sign in end. */
  waysTitle: string
  wayEnds: (way: string) => string
  wayBack: string
  waysButton: string
  emailCodes: string
  phoneCodes: string
  google: string
  auth0: string
  tenant: string
  tenantHint: string
  auth0Domain: string
  auth0DomainHint: string
  auth0ClientId: string
  auth0ClientSecret: string
  secretKept: string
  secretMissing: string
  save: string
  saved: string
  documents: string
  deletion: string
  codes: Readonly<Record<string, string>>
}

const english: SettingsWords = {
  title: 'Organization',
  name: 'Name',
  nameHint: 'As your members and your buyers see it.',
  slug: 'Name in addresses',
  slugHint: 'Small letters, digits and hyphens. Nobody else has it.',
  timeZone: 'Time zone',
  timeZoneHint: 'Where your days begin, in numbers and reports.',
  locale: 'Language of mails',
  localeHint: 'A language tag, as en or fr-FR.',
  currency: 'Currency of your bills',
  currencyHint: 'Chosen once: it cannot be changed afterwards.',
  currencySet: '(chosen once)',
  noCurrency: 'Choose later',
  ways: 'How buyers sign in',
  waysHint: 'This holds for all your applications, from the next sign-in.',
  waysTitle: 'End these ways to sign in?',
  wayEnds: (way) => `No buyer can sign in like this any more: ${way}. Whoever is signed in stays so.`,
  wayBack: 'Buyers who have no other way cannot come back until you turn it on again.',
  waysButton: 'Save and end them',
  emailCodes: 'With a code by e-mail',
  phoneCodes: 'With a code by text message',
  google: 'With Google',
  auth0: 'With your own Auth0',
  tenant: 'Your Auth0',
  tenantHint: 'Allow this callback address there:',
  auth0Domain: 'Domain',
  auth0DomainHint: 'A host name, as brand.eu.auth0.com. Another one needs its secret again.',
  auth0ClientId: 'Client ID',
  auth0ClientSecret: 'Client secret',
  secretKept: 'A secret is kept. Leave this empty to keep it.',
  secretMissing: 'No secret is kept yet. It is never shown.',
  save: 'Save',
  saved: 'Your changes are kept.',
  documents: 'Legal documents',
  deletion: 'Delete the organization',
  codes: {
    ORG_SLUG_TAKEN: 'Another organization has this name in addresses. Choose another one.',
    ORG_PREFERRED_CURRENCY_SET: 'The currency was chosen before, and stays.',
  },
}

const french: SettingsWords = {
  title: 'Organisation',
  name: 'Nom',
  nameHint: 'Tel que vos membres et vos acheteurs le voient.',
  slug: 'Nom dans les adresses',
  slugHint: 'Des minuscules, des chiffres et des traits d’union. Personne d’autre ne l’a.',
  timeZone: 'Fuseau horaire',
  timeZoneHint: 'Où commencent vos journées, dans les chiffres et les rapports.',
  locale: 'Langue des e-mails',
  localeHint: 'Une étiquette de langue, comme en ou fr-FR.',
  currency: 'Devise de vos factures',
  currencyHint: 'Elle se choisit une seule fois et ne change plus ensuite.',
  currencySet: '(choisie une fois pour toutes)',
  noCurrency: 'Choisir plus tard',
  ways: 'Comment les acheteurs se connectent',
  waysHint: 'Cela vaut pour toutes vos applications, dès la prochaine connexion.',
  waysTitle: 'Mettre fin à ces façons de se connecter ?',
  wayEnds: (way) => `Plus aucun acheteur ne pourra se connecter ainsi : ${way}. Qui est connecté le reste.`,
  wayBack: 'Les acheteurs qui n’ont pas d’autre façon ne peuvent revenir que lorsque vous la rétablissez.',
  waysButton: 'Enregistrer et y mettre fin',
  emailCodes: 'Avec un code par e-mail',
  phoneCodes: 'Avec un code par SMS',
  google: 'Avec Google',
  auth0: 'Avec votre propre Auth0',
  tenant: 'Votre Auth0',
  tenantHint: 'Autorisez-y cette adresse de retour :',
  auth0Domain: 'Domaine',
  auth0DomainHint: 'Un nom d’hôte, comme marque.eu.auth0.com. Un autre demande à nouveau son secret.',
  auth0ClientId: 'Identifiant du client',
  auth0ClientSecret: 'Secret du client',
  secretKept: 'Un secret est conservé. Laissez ce champ vide pour le garder.',
  secretMissing: 'Aucun secret n’est conservé. Il n’est jamais affiché.',
  save: 'Enregistrer',
  saved: 'Vos modifications sont enregistrées.',
  documents: 'Documents juridiques',
  deletion: 'Supprimer l’organisation',
  codes: {
    ORG_SLUG_TAKEN: 'Une autre organisation porte ce nom dans les adresses. Choisissez-en un autre.',
    ORG_PREFERRED_CURRENCY_SET: 'La devise a déjà été choisie et ne change plus.',
  },
}

/** The texts of the page in each language. */
export const settingsWords: Record<ConsoleLanguage, SettingsWords> = { en: english, fr: french }
