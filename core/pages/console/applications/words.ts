import type { DomainProof, ProofFailure } from '../../../features/applications/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'

/** The texts of the pages about applications. */
export interface ApplicationWords {
  title: string
  intro: string
  count: (count: string) => string
  name: string
  slug: string
  domains: string
  created: string
  emptyHead: string
  emptyText: string
  /** What a page says that needs an application, and to whom may not create one. */
  neededText: string
  askForOne: string
  create: string
  newTitle: string
  domainsHint: string
  identifier: string
  website: string
  customers: string
  nextText: string
  nextSheet: string
  nextImport: string
  network: string
  none: string
  domain: string
  status: string
  statuses: Record<DomainProof['status'], string>
  reasons: Record<ProofFailure, string>
  checked: string
  never: string
  record: string
  recordText: string
  noDomains: string
  action: string
  check: string
  checkOf: (domain: string) => string
  branding: string
  back: string
  codes: Readonly<Record<string, string>>
}

const english: ApplicationWords = {
  title: 'Applications',
  intro: 'An application is one of your shops or sites: its passports, customers and points are its own.',
  count: (count) => (count === '1' ? '1 application' : `${count} applications`),
  name: 'Name',
  slug: 'Name in addresses',
  domains: 'Domains',
  created: 'Created',
  emptyHead: 'No application yet',
  emptyText: 'Create one for your shop or site. Everything else belongs to an application.',
  neededText: 'Passports, customers and points belong to an application, which is one of your shops or sites.',
  askForOne: 'An owner or an administrator creates it.',
  create: 'Create an application',
  newTitle: 'A new application',
  domainsHint: 'Hosts of its own pages, with spaces between them, such as shop.example.com. They can come later.',
  identifier: 'Identifier',
  website: 'Home page',
  customers: 'Where customers see what they have',
  nextText: 'Passports come next:',
  nextSheet: 'make a sheet, which says what the passports of a product say',
  nextImport: 'import a table of products',
  network: 'Network',
  none: 'none',
  domain: 'Domain',
  status: 'State',
  statuses: { pending: 'waits for its proof', proven: 'proven', failed: 'not proven', lost: 'lost' },
  reasons: {
    record_missing: 'There is no such record yet.',
    record_differs: 'The record says something else.',
    file_differs: 'The file says something else.',
    dns_failed: 'The name servers answered with an error.',
    dns_timeout: 'The name servers did not answer in time.',
    not_allowed: 'This host may not be asked.',
    proven_by_another: 'Another organization has a newer proof.',
  },
  checked: 'Looked for',
  never: 'not yet',
  record: 'TXT record that proves it',
  recordText:
    'Publish the record of a domain where its names are kept, then look for it. Only proven domains count for browsers, product codes and pages.',
  noDomains: 'It has no domain yet. Domains are named in its settings.',
  action: 'Action',
  check: 'Look for the proof',
  checkOf: (domain) => `Look for the proof of ${domain}`,
  branding: 'Logo, colours and heading of its pages',
  back: 'To the applications',
  codes: { RATE_LIMITED: 'A domain is looked for at most ten times an hour. Try again later.' },
}

const french: ApplicationWords = {
  title: 'Applications',
  intro:
    'Une application est une de vos boutiques ou un de vos sites : ses passeports, clients et points lui appartiennent.',
  count: (count) => (count === '1' ? '1 application' : `${count} applications`),
  name: 'Nom',
  slug: 'Nom dans les adresses',
  domains: 'Domaines',
  created: 'Créée',
  emptyHead: 'Aucune application pour le moment',
  emptyText: 'Créez-en une pour votre boutique ou votre site. Tout le reste appartient à une application.',
  neededText:
    'Les passeports, les clients et les points appartiennent à une application, qui est une de vos boutiques ou un de vos sites.',
  askForOne: 'Un propriétaire ou un administrateur la crée.',
  create: 'Créer une application',
  newTitle: 'Une nouvelle application',
  domainsHint:
    'Hôtes de ses propres pages, séparés par des espaces, par exemple shop.example.com. Ils peuvent venir plus tard.',
  identifier: 'Identifiant',
  website: 'Page d’accueil',
  customers: 'Où les clients voient ce qu’ils ont',
  nextText: 'Viennent ensuite les passeports\u00a0:',
  nextSheet: 'faites une fiche, qui dit ce que disent les passeports d’un produit',
  nextImport: 'importez un tableau de produits',
  network: 'Réseau',
  none: 'aucun',
  domain: 'Domaine',
  status: 'État',
  statuses: { pending: 'attend sa preuve', proven: 'prouvé', failed: 'non prouvé', lost: 'perdu' },
  reasons: {
    record_missing: 'Cet enregistrement n’existe pas encore.',
    record_differs: 'L’enregistrement dit autre chose.',
    file_differs: 'Le fichier dit autre chose.',
    dns_failed: 'Les serveurs de noms ont répondu par une erreur.',
    dns_timeout: 'Les serveurs de noms n’ont pas répondu à temps.',
    not_allowed: 'Cet hôte ne peut pas être interrogé.',
    proven_by_another: 'Une autre organisation a une preuve plus récente.',
  },
  checked: 'Recherché',
  never: 'pas encore',
  record: 'Enregistrement TXT qui le prouve',
  recordText:
    'Publiez l’enregistrement d’un domaine là où ses noms sont gérés, puis recherchez-le. Seuls les domaines prouvés comptent pour les navigateurs, les codes des produits et les pages.',
  noDomains: 'Elle n’a pas encore de domaine. Les domaines se nomment dans ses paramètres.',
  action: 'Action',
  check: 'Rechercher la preuve',
  checkOf: (domain) => `Rechercher la preuve de ${domain}`,
  branding: 'Logo, couleurs et titre de ses pages',
  back: 'Vers les applications',
  codes: { RATE_LIMITED: 'Un domaine est recherché dix fois par heure au plus. Réessayez plus tard.' },
}

/** The texts of the pages about applications in each language. */
export const applicationWords: Record<ConsoleLanguage, ApplicationWords> = { en: english, fr: french }
