import {
  Type,
  boolean,
  integer,
  list,
  object,
  optional,
  record,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { textMembers } from '../intake/index.ts'
import {
  duplicatePolicy,
  entityName,
  fileNotes,
  importNetwork,
  ImportRowError,
  MapperRow,
  maxMapperRows,
} from '../records/index.ts'

/** The maximum numbers of rows that are checked, and of passports, errors and questions in an answer. */
export const maxShown = { checked: 1_000, passports: 3, errors: 50, unclear: 50, candidates: 10 } as const

export const TableRequest = object(
  {
    application: uuid('Its application.'),
    entityName,
    ...textMembers,
    network: optional(importNetwork),
    dryRun: optional(boolean('Only preview.')),
    onDuplicate: optional(duplicatePolicy),
  },
  {
    title: 'ImportTable',
    description: 'A table as text.',
    examples: [{ application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab', text: 'sku;Bezeichnung\nBAG-0001;Tasche\n' }],
  },
)
export type TableRequest = Static<typeof TableRequest>

const Unclear = object(
  {
    column: optional(string('The column it is about.')),
    destination: optional(string('The path of the record it is about.')),
    question: string('What a person should decide, and why.'),
    candidates: list(Type.String(), 'Paths the column could go to, or columns that could fill the path.'),
  },
  { title: 'ImportUnclear', description: 'What a mapping leaves open.' },
)
export type Unclear = Static<typeof Unclear>

export const TablePreview = object(
  {
    mapping: list(MapperRow, 'The mapping as it was applied; empty where rows are records already.', {
      maxItems: maxMapperRows,
    }),
    preview: object(
      {
        rows: integer('Rows of the table.', { minimum: 0 }),
        checked: integer('Rows that were checked: the first 1,000.', { minimum: 0 }),
        failed: integer('Of these, rows that would fail.', { minimum: 0 }),
        passports: list(record('Body of a passport.'), 'The first passports it would make.', {
          maxItems: maxShown.passports,
        }),
        records: optional(
          list(record('Body of a record.'), 'The same, where `entityName` is no DppPassport.', {
            maxItems: maxShown.passports,
          }),
        ),
        errors: list(ImportRowError, 'The first errors, by line.', { maxItems: maxShown.errors }),
      },
      {
        title: 'ImportTableCounts',
        description: 'What the rows would make; nobody looks for existing records.',
      },
    ),
    unclear: list(Unclear, 'What to decide before the table is imported.', { maxItems: maxShown.unclear }),
    unusedColumns: list(Type.String(), 'Columns that are not imported.'),
    warnings: fileNotes.warnings,
  },
  { title: 'ImportTablePreview', description: 'What a table would make. Nothing is stored.' },
)
export type TablePreview = Static<typeof TablePreview>
