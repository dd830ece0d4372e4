import type { MapperRow } from '../../../../features/imports/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'

/** The texts of the pages about saved mappings. */
export interface MappingWords {
  title: string
  all: string
  intro: string
  count: (count: string) => string
  name: string
  namePart: string
  kind: string
  kinds: Readonly<Record<'file' | 'url', string>>
  format: string
  next: string
  byHand: string
  changed: string
  seeAll: string
  emptyHead: string
  emptyText: string
  running: string
  // One mapping
  facts: string
  address: string
  headers: string
  schedule: string
  scheduleHint: string
  addressHint: string
  present: string
  presentPolicies: Readonly<Record<'' | 'skip' | 'update' | 'fail', string>>
  created: string
  identifier: string
  settings: string
  saved: string
  storedHead: string
  nothing: string
  columns: string
  destination: string
  from: string
  fromKinds: Readonly<Record<MapperRow['kind'], string>>
  changes: string
  required: string
  moreRows: (count: string) => string
  runs: string
  noRuns: string
  began: string
  import: string
  state: string
  done: string
  failed: string
  // What is done with it
  run: string
  runTitle: (name: string) => string
  runFetches: (address: string) => string
  runPolicies: Readonly<Record<'skip' | 'update' | 'fail', string>>
  runNew: string
  delete: string
  deleteTitle: (name: string) => string
  deleteSchedule: (schedule: string) => string
  deleteHeaders: string
  deleteStays: string
  codes: Readonly<Record<string, string>>
  issues: Readonly<Record<string, string>>
}

const english: MappingWords = {
  title: 'Saved mappings',
  all: 'All saved mappings',
  intro: 'A mapping says where the columns of a file go. It is saved when an import begins, and reads the next file.',
  count: (count) => (count === '1' ? '1 mapping' : `${count} mappings`),
  name: 'Name',
  namePart: 'Part of the name',
  kind: 'Reads',
  kinds: { file: 'Files that are sent', url: 'An address that is fetched' },
  format: 'Format',
  next: 'Fetched next',
  byHand: 'by hand',
  changed: 'Changed',
  seeAll: 'See all mappings',
  emptyHead: 'No saved mapping yet',
  emptyText: 'Import a file and give its mapping a name: the next file of this kind needs no more questions.',
  running: 'Importing now',
  facts: 'About this mapping',
  address: 'Address that is fetched',
  headers: 'Headers that it sends',
  schedule: 'Schedule',
  scheduleHint:
    'Five fields of cron in UTC, such as 0 6 * * 1-5 for weekdays at six, at least 15 minutes apart. Empty: only by hand.',
  addressHint: 'An address that begins with https://.',
  present: 'Rows whose passport is there already',
  presentPolicies: {
    '': 'By schedule changed, by hand left as they are',
    skip: 'Left as they are',
    update: 'Changed to what the source says',
    fail: 'Reported as errors',
  },
  created: 'Created',
  identifier: 'Identifier',
  settings: 'Name and schedule',
  saved: 'Your changes are kept.',
  storedHead: 'What is stored now, where it differs',
  nothing: 'nothing',
  columns: 'Where the columns go',
  destination: 'Goes to',
  from: 'From',
  fromKinds: {
    field: 'column',
    constant: 'always the same',
    template: 'text with columns in it',
    lookup: 'column, translated',
    concat: 'columns, joined',
  },
  changes: 'Changes to the value',
  required: 'has to be there',
  moreRows: (count) => `${count} more are not shown here. The API answers all of them.`,
  runs: 'Its imports',
  noRuns: 'Nothing was imported with it yet.',
  began: 'Begun',
  import: 'Import',
  state: 'State',
  done: 'Rows done',
  failed: 'Failed',
  run: 'Fetch and import now',
  runTitle: (name) => `Fetch and import by ${name} now?`,
  runFetches: (address) => `Fetches ${address} and imports what it gives, even if its schedule comes later.`,
  runPolicies: {
    skip: 'Records that are there already stay as they are.',
    update: 'Records that are there already are changed to what the source says.',
    fail: 'Records that are there already are reported as errors.',
  },
  runNew: 'New records are made at once. They count against your plan.',
  delete: 'Delete the mapping',
  deleteTitle: (name) => `Delete the mapping ${name}?`,
  deleteSchedule: (schedule) => `Its schedule (${schedule}) goes with it: nothing more is fetched.`,
  deleteHeaders: 'The headers that it keeps go with it and cannot be read again.',
  deleteStays: 'What was imported stays, and an import that goes on comes to its end.',
  codes: {
    IMPORT_MAPPER_DUPLICATE_NAME: 'The application already has a mapping of this name. Choose another one.',
    IMPORT_RUN_IN_PROGRESS: 'The last fetch is still being imported. Wait until it has ended.',
    IMPORT_MAPPER_NOT_URL: 'It reads files that are sent: there is no address to fetch.',
    PRECONDITION_FAILED:
      'Somebody has changed the mapping since this form was opened. What you wrote is still here: compare, then save again.',
  },
  issues: {
    schedule: 'is not five fields of cron with at least 15 minutes between any two times',
    url: 'cannot be fetched from here',
  },
}

const french: MappingWords = {
  title: 'Correspondances enregistrées',
  all: 'Toutes les correspondances',
  intro:
    'Une correspondance dit où vont les colonnes d’un fichier. Elle s’enregistre au début d’un import et lit le fichier suivant.',
  count: (count) => (count === '1' ? '1 correspondance' : `${count} correspondances`),
  name: 'Nom',
  namePart: 'Partie du nom',
  kind: 'Lit',
  kinds: { file: 'Des fichiers envoyés', url: 'Une adresse à consulter' },
  format: 'Format',
  next: 'Prochaine lecture',
  byHand: 'à la main',
  changed: 'Modifiée',
  seeAll: 'Voir toutes les correspondances',
  emptyHead: 'Aucune correspondance enregistrée',
  emptyText: 'Importez un fichier et nommez sa correspondance : le prochain fichier du genre ne demandera plus rien.',
  running: 'Imports en cours',
  facts: 'À propos de cette correspondance',
  address: 'Adresse à consulter',
  headers: 'En-têtes qu’elle envoie',
  schedule: 'Horaire',
  scheduleHint:
    'Cinq champs de cron en UTC, par exemple 0 6 * * 1-5 pour six heures en semaine, à 15 minutes d’écart au moins. Vide : seulement à la main.',
  addressHint: 'Une adresse qui commence par https://.',
  present: 'Lignes dont le passeport existe déjà',
  presentPolicies: {
    '': 'Modifiés selon l’horaire, laissés tels quels à la main',
    skip: 'Laissés tels quels',
    update: 'Modifiés selon la source',
    fail: 'Signalés comme erreurs',
  },
  created: 'Créée',
  identifier: 'Identifiant',
  settings: 'Nom et horaire',
  saved: 'Vos modifications sont enregistrées.',
  storedHead: 'Ce qui est enregistré maintenant, là où cela diffère',
  nothing: 'rien',
  columns: 'Où vont les colonnes',
  destination: 'Va vers',
  from: 'Depuis',
  fromKinds: {
    field: 'colonne',
    constant: 'toujours pareil',
    template: 'texte avec des colonnes',
    lookup: 'colonne, traduite',
    concat: 'colonnes, réunies',
  },
  changes: 'Changements de la valeur',
  required: 'doit être présente',
  moreRows: (count) => `${count} autres ne sont pas montrées ici. L’API les donne toutes.`,
  runs: 'Ses imports',
  noRuns: 'Rien n’a encore été importé avec elle.',
  began: 'Commencé',
  import: 'Import',
  state: 'État',
  done: 'Lignes faites',
  failed: 'En échec',
  run: 'Consulter et importer maintenant',
  runTitle: (name) => `Consulter et importer selon ${name} maintenant ?`,
  runFetches: (address) => `Consulte ${address} et importe ce qu’elle donne, même si l’horaire vient plus tard.`,
  runPolicies: {
    skip: 'Ce qui existe déjà reste tel quel.',
    update: 'Ce qui existe déjà est modifié selon la source.',
    fail: 'Ce qui existe déjà est signalé comme erreur.',
  },
  runNew: 'Ce qui est nouveau est créé aussitôt et compte dans votre offre.',
  delete: 'Supprimer la correspondance',
  deleteTitle: (name) => `Supprimer la correspondance ${name} ?`,
  deleteSchedule: (schedule) => `Son horaire (${schedule}) disparaît avec elle : plus rien n’est consulté.`,
  deleteHeaders: 'Les en-têtes qu’elle garde disparaissent avec elle et ne peuvent plus être lus.',
  deleteStays: 'Ce qui a été importé reste, et un import en cours va jusqu’au bout.',
  codes: {
    IMPORT_MAPPER_DUPLICATE_NAME: 'L’application a déjà une correspondance de ce nom. Choisissez-en un autre.',
    IMPORT_RUN_IN_PROGRESS: 'La dernière lecture est encore en cours d’import. Attendez sa fin.',
    IMPORT_MAPPER_NOT_URL: 'Elle lit des fichiers envoyés : il n’y a pas d’adresse à consulter.',
    PRECONDITION_FAILED:
      'Quelqu’un a modifié la correspondance depuis l’ouverture de ce formulaire. Ce que vous avez écrit est encore là : comparez, puis enregistrez à nouveau.',
  },
  issues: {
    schedule: 'n’est pas fait de cinq champs de cron avec 15 minutes d’écart au moins',
    url: 'ne peut pas être consultée d’ici',
  },
}

/** The texts in each language. */
export const mappingWords: Record<ConsoleLanguage, MappingWords> = { en: english, fr: french }
