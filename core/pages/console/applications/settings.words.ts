import type { ApplicationFeature } from '../../../features/applications/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { TextName } from './settings.form.ts'

/** The texts of the form of an application, and of its deletion. */
export interface ApplicationSettingsWords {
  settings: string
  saved: string
  fields: Readonly<Record<TextName, string>>
  hints: Readonly<Partial<Record<TextName, string>>>
  features: string
  featureNames: Readonly<Record<ApplicationFeature, string>>
  points: string
  cards: string
  notSet: string
  storedHead: string
  deleteLink: string
  deleteTitle: (name: string) => string
  deleteButton: string
  deletePages: string
  deleteFinal: string
  partGoes: (part: string) => string
  /** What goes with an application, by the noun that its area gives it. */
  parts: Readonly<Record<string, readonly [one: string, many: string]>>
  inUse: string
  itsPassports: string
  itsAccounts: string
  codes: Readonly<Record<string, string>>
}

const english: ApplicationSettingsWords = {
  settings: 'Settings',
  saved: 'Your changes are kept.',
  fields: {
    name: 'Name',
    slug: 'Name in addresses',
    websiteUrl: 'Home page',
    domains: 'Domains of its pages',
    defaultNetwork: 'Network',
    currency: 'Currency of orders',
    currencyToPointRatio: 'Points a unit of currency',
    welcomeBonus: 'Welcome bonus, in points',
    pointsConversionThreshold: 'Points turned into money at once',
    pointsConversionThresholdValue: 'What they are worth',
    visitsWindowDays: 'Days that visits count for tiers',
    frequencyCapPer24h: 'Most messages a card gets in 24 hours',
    conversionWindowDays: 'Days in which a visit counts for a campaign',
    passTypeIdentifier: 'Pass type at Apple',
    teamIdentifier: 'Team at Apple',
    issuerId: 'Issuer at Google',
  },
  hints: {
    slug: 'Small letters, digits and hyphens. No other application has it.',
    websiteUrl: 'An address that begins with https://, or nothing.',
    domains: 'With spaces between them, such as shop.example.com. A new one counts once it is proven.',
    defaultNetwork: 'Where passports and points are written if nothing else is chosen.',
    currencyToPointRatio: 'With 1.5, an order of 10.00 earns 15 points.',
    visitsWindowDays: 'Without a number, all visits count.',
    passTypeIdentifier: 'As pass.com.example.card.',
    teamIdentifier: 'Ten letters and digits.',
  },
  features: 'What it uses',
  featureNames: { dpp: 'Product passports', loyalty: 'Points and tiers', invest: 'Investments', trust: 'Trust' },
  points: 'Points, campaigns and cards',
  cards: 'Cards in wallets',
  notSet: 'not set',
  storedHead: 'What is stored now, where it differs',
  deleteLink: 'Delete the application',
  deleteTitle: (name) => `Delete the application ${name}?`,
  deleteButton: 'Delete the application',
  deletePages: 'Programs and pages that name it find nothing any more.',
  deleteFinal: 'Nobody can bring it back.',
  partGoes: (part) => `Goes with it: ${part}.`,
  parts: {
    domain: ['domain', 'domains'],
    'API key': ['API key that is for it alone', 'API keys that are for it alone'],
    'product sheet': ['sheet', 'sheets'],
    'import mapper': ['saved mapping of imports', 'saved mappings of imports'],
    'account assignment': ['assignment that waits for somebody', 'assignments that wait for somebody'],
    'reward tier': ['tier', 'tiers'],
    'point of sale': ['point of sale', 'points of sale'],
    'bound restaurant': ['bound restaurant', 'bound restaurants'],
  },
  inUse: 'It stays: an application that has passports or accounts cannot be deleted.',
  itsPassports: 'Its passports',
  itsAccounts: 'Its accounts',
  codes: {
    APPLICATION_SLUG_TAKEN: 'Another application has this name in addresses. Choose another one.',
    PRECONDITION_FAILED:
      'Somebody has changed the application since this form was opened. What you wrote is still here: compare, then save again.',
  },
}

const french: ApplicationSettingsWords = {
  settings: 'Paramètres',
  saved: 'Vos modifications sont enregistrées.',
  fields: {
    name: 'Nom',
    slug: 'Nom dans les adresses',
    websiteUrl: 'Page d’accueil',
    domains: 'Domaines de ses pages',
    defaultNetwork: 'Réseau',
    currency: 'Devise des commandes',
    currencyToPointRatio: 'Points par unité de devise',
    welcomeBonus: 'Points de bienvenue',
    pointsConversionThreshold: 'Points convertis en argent d’un coup',
    pointsConversionThresholdValue: 'Ce qu’ils valent',
    visitsWindowDays: 'Jours pendant lesquels une visite compte pour les niveaux',
    frequencyCapPer24h: 'Messages par carte en 24 heures, au plus',
    conversionWindowDays: 'Jours pendant lesquels une visite compte pour une campagne',
    passTypeIdentifier: 'Type de carte chez Apple',
    teamIdentifier: 'Équipe chez Apple',
    issuerId: 'Émetteur chez Google',
  },
  hints: {
    slug: 'Des minuscules, des chiffres et des traits d’union. Aucune autre application ne l’a.',
    websiteUrl: 'Une adresse qui commence par https://, ou rien.',
    domains: 'Séparés par des espaces, par exemple shop.example.com. Un nouveau compte dès qu’il est prouvé.',
    defaultNetwork: 'Où passeports et points sont inscrits si rien d’autre n’est choisi.',
    currencyToPointRatio: 'Avec 1,5, une commande de 10,00 rapporte 15 points.',
    visitsWindowDays: 'Sans nombre, toutes les visites comptent.',
    passTypeIdentifier: 'Par exemple pass.com.example.card.',
    teamIdentifier: 'Dix lettres et chiffres.',
  },
  features: 'Ce qu’elle utilise',
  featureNames: {
    dpp: 'Passeports de produits',
    loyalty: 'Points et niveaux',
    invest: 'Investissements',
    trust: 'Confiance',
  },
  points: 'Points, campagnes et cartes',
  cards: 'Cartes dans les portefeuilles',
  notSet: 'non défini',
  storedHead: 'Ce qui est enregistré maintenant, là où cela diffère',
  deleteLink: 'Supprimer l’application',
  deleteTitle: (name) => `Supprimer l’application ${name} ?`,
  deleteButton: 'Supprimer l’application',
  deletePages: 'Les programmes et les pages qui la nomment ne trouvent plus rien.',
  deleteFinal: 'Personne ne peut la rétablir.',
  partGoes: (part) => `Disparaît avec elle : ${part}.`,
  parts: {
    domain: ['domaine', 'domaines'],
    'API key': ['clé d’API faite pour elle seule', 'clés d’API faites pour elle seule'],
    'product sheet': ['fiche', 'fiches'],
    'import mapper': ['correspondance d’import enregistrée', 'correspondances d’import enregistrées'],
    'account assignment': ['attribution qui attend quelqu’un', 'attributions qui attendent quelqu’un'],
    'reward tier': ['niveau', 'niveaux'],
    'point of sale': ['point de vente', 'points de vente'],
    'bound restaurant': ['restaurant lié', 'restaurants liés'],
  },
  inUse: 'Elle reste : une application qui a des passeports ou des comptes ne peut pas être supprimée.',
  itsPassports: 'Ses passeports',
  itsAccounts: 'Ses comptes',
  codes: {
    APPLICATION_SLUG_TAKEN: 'Une autre application porte ce nom dans les adresses. Choisissez-en un autre.',
    PRECONDITION_FAILED:
      'Quelqu’un a modifié l’application depuis l’ouverture de ce formulaire. Ce que vous avez écrit est encore là : comparez, puis enregistrez à nouveau.',
  },
}

/** The texts in each language. */
export const settingsWords: Record<ConsoleLanguage, ApplicationSettingsWords> = { en: english, fr: french }
