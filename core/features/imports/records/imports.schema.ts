import { networkNames } from '../../../chains/networks.ts'
import { Job, jobStatuses } from '../../../kernel/job.ts'
import { enumFilter, uuidFilter, createListSchema, type ListDeclaration } from '../../../kernel/page.ts'
import {
  Type,
  boolean,
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  oneOfWords,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { entityNames } from '../../../kernel/words.ts'

export const importNames = ['batch', 'entity'] as const
export const importSources = ['upload', 'ecommerce', 'scheduled', 'manual'] as const
export const duplicatePolicies = ['skip', 'update', 'fail'] as const
export type DuplicatePolicy = (typeof duplicatePolicies)[number]

/** The kind of records, where a request may leave it out. */
export const entityName = optional(oneOfWords(entityNames, 'Kind of records; default: DppPassport.'))

/** What every request of an import says of its network and of rows whose record exists. */
export const importNetwork = oneOf(
  networkNames,
  "Network where none is named; default: BaseMainnet if usable, else the application's.",
)
export const duplicatePolicy = oneOf(
  duplicatePolicies,
  'If it exists; default: skip. update adds points to an AccountAssignment.',
)

const Dialect = object(
  {
    encoding: string('How its characters are written: a name of WHATWG Encoding, as utf-8 or windows-1252.'),
    bom: boolean('Whether it begins with a byte order mark.'),
    delimiter: optional(string('CSV: what stands between two cells.')),
    columns: optional(integer('CSV: columns of the header.', { minimum: 1 })),
    sheet: optional(string('Excel: the sheet that is read.')),
  },
  { title: 'ImportDialect', description: 'How a file is read: as it was said, else as was found out.' },
)

const ImportData = object(
  {
    applicationId: uuid('Application that the passports are of.'),
    entityName: oneOfWords(entityNames, 'What is imported.'),
    source: oneOf(
      importSources,
      'upload: a file that was sent. scheduled, manual: fetched by a mapper, by its schedule or by hand. ecommerce: from a shop.',
    ),
    mapperId: nullable(uuid('The mapper that rows went through.')),
    network: nullable(
      oneOf(networkNames, 'Network of passports that name none; null: the default of the application.'),
    ),
    onDuplicate: oneOf(duplicatePolicies, 'What becomes of a row whose reference or numbers are there already.'),
    dryRun: boolean('Whether everything was done but the writing.'),
    atomic: boolean('Whether all rows are stored or none.'),
    format: nullable(oneOf(['json', 'ndjson', 'csv', 'xlsx'], 'Format of the file; null until it was fetched.')),
    fileName: optional(string('Name of the file as it was sent.')),
    dialect: optional(Dialect),
  },
  { title: 'ImportData', description: 'What an import reads and makes.' },
)

export const InitError = object(
  {
    code: string('Stable code of the cause, as IMPORT_ROW_CAP_EXCEEDED.'),
    message: string('What is wrong with the file as a whole, in English.'),
  },
  { title: 'ImportInitError', description: 'Why an import did not come to its rows, or to the rest of them.' },
)

const ImportWarning = object(
  {
    code: string('Stable code: column_missing, columns_unused, encoding_guessed, sheets_unread, cells_merged.'),
    path: string('Dotted path in the body of the passport, or a column; empty for the file as a whole.'),
    message: string('What to look at, in English.'),
    count: integer('How often it is so.', { minimum: 1 }),
  },
  { title: 'ImportWarning', description: 'No error, but to be looked at.' },
)

export const fileNotes = {
  warnings: list(ImportWarning, 'What is no error and should be looked at all the same.'),
  unusedColumns: list(Type.String(), 'CSV: columns that no row of the mapper reads.'),
}

const { id, type, status, total, completed, failed, result, errors, createdAt, updatedAt } = Job.properties

const members = {
  id,
  type,
  status,
  name: oneOf(importNames, 'batch: a whole import. entity: a slice of one, of at most 1,000 rows.'),
  parent: nullable(uuid('Of a slice: the import it is of.')),
  data: ImportData,
  total,
  completed,
  failed,
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the file that was read and stored.' }),
  initError: nullable(InitError),
  result,
  errors,
  ...fileNotes,
  createdAt,
  updatedAt,
  finishedAt: nullable(instant('When it ended.')),
}

export const ImportJob = object(members, {
  title: 'ImportJob',
  description: 'An import or a slice of one. `total` counts the rows found so far.',
})
export type ImportJob = Static<typeof ImportJob>

/**
 * The body of a 202 answer: the job, with its id repeated as `jobId`, the name that all accepted jobs have in common.
 */
export const AcceptedImport = object(
  { ...members, jobId: uuid('The same as `id`.') },
  {
    title: 'AcceptedImport',
    description: 'The import goes on as a job.',
  },
)
export type AcceptedImport = Static<typeof AcceptedImport>

/** Where the result of an import is read. */
export const importJobResult = { name: 'report', operation: 'get_import_report_v1' }

export const importList: ListDeclaration = {
  rowSchema: ImportJob,
  filters: {
    status: enumFilter(jobStatuses, 'eq', 'ne'),
    name: enumFilter(importNames, 'eq'),
    parent: uuidFilter('eq'),
    'data.applicationId': uuidFilter('eq'),
    'data.entityName': enumFilter(entityNames, 'eq'),
    'data.source': enumFilter(importSources, 'eq'),
  },
  sorters: ['createdAt'],
}
export const ImportList = createListSchema(ImportJob, 'ImportJobList')

export const ImportRowError = object(
  {
    line: integer('JSON array: index from 0. CSV and NDJSON: physical line from 1.', { minimum: 0 }),
    path: string('Dotted path in the body of the passport, or a column; empty for the row as a whole.'),
    code: string('Stable code of the cause.'),
    message: string('What is wrong, in English.'),
    value: nullable(string('The value to blame, at most 200 characters of it.')),
  },
  { title: 'ImportRowError', description: 'Why a row was not imported.' },
)

export const ImportReport = object(
  {
    job: ImportJob,
    counts: object(
      {
        created: integer('Passports made.', { minimum: 0 }),
        updated: integer('Passports changed.', { minimum: 0 }),
        skipped: integer('Rows whose passport was there already, or as it is.', { minimum: 0 }),
        failed: integer('Rows that failed.', { minimum: 0 }),
      },
      { title: 'ImportCounts', description: 'What became of the rows; of a dry run what would have.' },
    ),
    errors: list(ImportRowError, 'What is wrong with failed rows, by line; one row can have several.'),
    warnings: fileNotes.warnings,
    nextPage: nullable(integer('Number of the next page, or null on the last one.', { minimum: 2 })),
  },
  { title: 'ImportReport', description: 'What became of an import, row by row where it failed.' },
)
export type ImportReport = Static<typeof ImportReport>
