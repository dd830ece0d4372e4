import {
  Type,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import {
  delimiterPattern,
  entityName,
  fileNotes,
  ImportRowError,
  mapperFormats,
  MapperRow,
  mapperTypes,
  maxMapperRows,
} from '../records/index.ts'

/** The maximum number of rows of a preview. */
export const maxPreviewRows = 20

const { path, code, message, value } = ImportRowError.properties

/** A mapper as it may be before it is saved; members that mapping does not need are accepted and ignored. */
const PreviewMapper = object(
  {
    format: oneOf(mapperFormats, 'Format of its files.'),
    rows: list(MapperRow, 'As create_import_mapper takes them.', {
      maxItems: maxMapperRows,
      'x-mcp-short': true,
    }),
    application: optional(uuid('Its application.')),
    entityName,
    delimiter: optional(nullable(string('CSV: a character or tab.', { pattern: delimiterPattern }))),
    name: optional(string('Ignored.', { maxLength: 200 })),
    type: optional(oneOf(mapperTypes, 'Ignored.')),
  },
  { title: 'ImportPreviewMapper', description: 'A mapper to try.', 'x-mcp-short': true },
)

export const PreviewRequest = object(
  {
    mapper: optional(PreviewMapper),
    mapperId: optional(uuid('A saved mapper instead.')),
    application: optional(uuid("Default: the mapper's.")),
    sample: Type.Union(
      [
        Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxPreviewRows }),
        Type.String({ minLength: 1, maxLength: 256 * 1024 }),
      ],
      { description: 'JSON items, or the start of a CSV.' },
    ),
  },
  {
    title: 'ImportPreviewRequest',
    description: 'Rows to try a mapper with. Exactly one of `mapper` and `mapperId`.',
    examples: [
      {
        mapper: { format: 'json', rows: [{ destination: 'product.name', kind: 'field', source: 'name' }] },
        application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
        sample: [{ name: 'Weekend bag' }],
      },
    ],
  },
)
export type PreviewRequest = Static<typeof PreviewRequest>

const PreviewError = object(
  { path, code, message, value },
  {
    title: 'ImportPreviewError',
    description: 'What keeps a row from being imported.',
  },
)

export const Preview = object(
  {
    columns: optional(list(Type.String(), 'CSV: the columns that were found.')),
    rows: list(
      object(
        {
          line: integer('JSON: index from 0. CSV: physical line from 1.', { minimum: 0 }),
          passport: nullable(
            record('Body of the passport that the row makes; null where the row cannot be read, or makes no passport.'),
          ),
          record: optional(record('Body of the record that the row makes, where `entityName` is no DppPassport.')),
          errors: list(PreviewError, 'What keeps the row from being imported; nothing does when it is empty.'),
        },
        { title: 'ImportPreviewRow', description: 'What one row would make.' },
      ),
      'The first 20 rows.',
    ),
    ...fileNotes,
  },
  { title: 'ImportPreview', description: 'What a mapper would make of a sample. Nothing is stored.' },
)
export type Preview = Static<typeof Preview>
export type PreviewRow = Preview['rows'][number]
