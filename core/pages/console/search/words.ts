import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the page that finds passports and accounts. */
export interface SearchWords {
  title: string
  titleOf: (text: string) => string
  hint: string
  passports: string
  accounts: string
  nothing: string
  allPassports: string
  allAccounts: string
  name: string
  number: string
  reference: string
  status: string
  statuses: Readonly<Record<string, string>>
  person: string
  application: string
}

const english: SearchWords = {
  title: 'Search',
  titleOf: (text) => `Search: ${text}`,
  hint: 'A passport is found by its id, reference, number, token or name; a customer by the e-mail address.',
  passports: 'Passports',
  accounts: 'Accounts',
  nothing: 'Nothing fits.',
  allPassports: 'All passports that fit',
  allAccounts: 'Accounts whose name or address has this part',
  name: 'Name',
  number: 'Number',
  reference: 'Reference',
  status: 'State',
  statuses: { draft: 'draft', published: 'published', claimed: 'claimed', archived: 'archived' },
  person: 'Person',
  application: 'Application',
}

const french: SearchWords = {
  title: 'Recherche',
  titleOf: (text) => `Recherche : ${text}`,
  hint: 'Un passeport se trouve par son identifiant, sa référence, son numéro, son jeton ou son nom ; un client par son adresse e-mail.',
  passports: 'Passeports',
  accounts: 'Comptes',
  nothing: 'Rien ne correspond.',
  allPassports: 'Tous les passeports qui correspondent',
  allAccounts: 'Comptes dont le nom ou l’adresse contient cette partie',
  name: 'Nom',
  number: 'Numéro',
  reference: 'Référence',
  status: 'État',
  statuses: { draft: 'brouillon', published: 'publié', claimed: 'réclamé', archived: 'archivé' },
  person: 'Personne',
  application: 'Application',
}

/** The texts of the search in each language. */
export const searchWords: Record<ConsoleLanguage, SearchWords> = { en: english, fr: french }
