import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the pages about documents and new organizations. */
export interface OrganizationWords {
  legalTitle: string
  legalIntro: string
  legalDone: string
  document: string
  acceptedOn: string
  /** Before the names of the documents. */
  accept: string
  acceptFor: string
  acceptButton: string
  newTitle: string
  newIntro: string
  name: string
  nameHint: string
  kind: string
  company: string
  companyHint: string
  individual: string
  individualHint: string
  currency: string
  currencyHint: string
  noCurrency: string
  create: string
  codes: Readonly<Record<string, string>>
}

const english: OrganizationWords = {
  legalTitle: 'Legal documents',
  legalIntro: 'Read these documents, and accept them before you go on. Your keys go on working meanwhile.',
  legalDone: 'You have accepted all documents in their current versions.',
  document: 'Document',
  acceptedOn: 'Accepted on',
  accept: 'I have read and accept',
  acceptFor: 'I have read and accept for my company',
  acceptButton: 'Accept and go on',
  newTitle: 'A new organization',
  newIntro: 'You become its owner. You can invite others afterwards, and change everything but the currency.',
  name: 'Its name',
  nameHint: 'As your customers know it.',
  kind: 'What it is',
  company: 'A company',
  companyHint: 'Sells or makes products, and accepts the documents below.',
  individual: 'A person',
  individualHint: 'Tries things out, or works for themselves.',
  currency: 'Currency of its bills',
  currencyHint: 'Chosen once. You can also choose it later.',
  noCurrency: 'Choose later',
  create: 'Create the organization',
  codes: {
    ORG_LIMIT: 'You have created three organizations, which is the most that one person creates.',
    LEGAL_ACCEPTANCE_REQUIRED: 'A company accepts the documents below. Read them and tick the box.',
  },
}

const french: OrganizationWords = {
  legalTitle: 'Documents juridiques',
  legalIntro:
    'Lisez ces documents et acceptez-les avant de continuer. Vos clés fonctionnent toujours pendant ce temps.',
  legalDone: 'Vous avez accepté tous les documents dans leur version actuelle.',
  document: 'Document',
  acceptedOn: 'Accepté le',
  accept: 'J’ai lu et j’accepte',
  acceptFor: 'J’ai lu et j’accepte au nom de mon entreprise',
  acceptButton: 'Accepter et continuer',
  newTitle: 'Une nouvelle organisation',
  newIntro:
    'Vous en devenez propriétaire. Vous pourrez ensuite inviter d’autres personnes, et tout modifier sauf la devise.',
  name: 'Son nom',
  nameHint: 'Tel que vos clients le connaissent.',
  kind: 'Ce qu’elle est',
  company: 'Une entreprise',
  companyHint: 'Vend ou fabrique des produits, et accepte les documents ci-dessous.',
  individual: 'Une personne',
  individualHint: 'Fait des essais, ou travaille pour son propre compte.',
  currency: 'Devise de ses factures',
  currencyHint: 'Elle se choisit une seule fois. Vous pouvez aussi la choisir plus tard.',
  noCurrency: 'Choisir plus tard',
  create: 'Créer l’organisation',
  codes: {
    ORG_LIMIT: 'Vous avez créé trois organisations, le maximum pour une personne.',
    LEGAL_ACCEPTANCE_REQUIRED: 'Une entreprise accepte les documents ci-dessous. Lisez-les et cochez la case.',
  },
}

/** The texts of the pages in each language. */
export const organizationWords: Record<ConsoleLanguage, OrganizationWords> = { en: english, fr: french }
