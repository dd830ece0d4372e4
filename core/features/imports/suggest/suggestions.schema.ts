import {
  Type,
  boolean,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { entityName } from '../records/index.ts'
import { sampleSize } from '../samples/index.ts'

export const confidences = ['high', 'review', 'low'] as const
export type Confidence = (typeof confidences)[number]
export const origins = ['llm', 'lexical'] as const

/** The maximum number of columns in one question. */
export const maxFields = 1_000

const scalar = (description: string) =>
  Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean(), Type.Null()], { description })

export const SourceField = object(
  {
    id: string('CSV column, or JSONPath.', { minLength: 1, maxLength: 500 }),
    example: optional(scalar('A value.')),
    distinct: optional(integer('Different values.', { minimum: 0 })),
    nulls: optional(integer('Rows without a value.', { minimum: 0 })),
    min: optional(scalar('Its least.')),
    max: optional(scalar('Its greatest.')),
  },
  { title: 'ImportSourceField', description: 'A column.', 'x-mcp-short': true },
)
export type SourceField = Static<typeof SourceField>

export const MappingQuestion = object(
  {
    application: optional(uuid('Its application.')),
    entityName,
    granularity: optional(oneOf(['model', 'batch', 'item'], 'What a row is, if it is known; else it is found out.')),
    fields: optional(
      list(SourceField, 'The columns, each with an `example` if possible; not needed beside `sample`.', {
        minItems: 1,
        maxItems: maxFields,
      }),
    ),
    sample: optional(
      Type.Union(
        [
          Type.Array(Type.Unknown(), { minItems: 1, maxItems: sampleSize }),
          Type.String({ minLength: 1, maxLength: 1024 * 1024 }),
        ],
        {
          description:
            'The start of the file, which the suggestions are tried with: the header and up to 1,000 rows of CSV as text, '
            + 'or items of JSON.',
        },
      ),
    ),
  },
  { title: 'ImportMappingQuestion', description: 'Columns that look for their destinations.' },
)
export type MappingQuestion = Static<typeof MappingQuestion>

export const Correspondence = object(
  {
    destination: string('Dotted path in the body that creates a record.'),
    source: nullable(string('`id` of the column; null for a constant or template.')),
    kind: oneOf(['field', 'constant', 'template'], 'What a row of a mapper has to be for it.'),
    value: optional(string('Of a constant or template.')),
    transforms: list(
      Type.String({ description: 'A transform, as a row of a mapper writes it.' }),
      'What its values need.',
    ),
    confidence: oneOf(
      confidences,
      'high: name and values agree. review: a person should look. low: offer it, do not fill it in.',
    ),
    evidence: string('Why, in a sentence.'),
    origin: oneOf(origins, 'llm: a model said so. lexical: names and values did.'),
  },
  { title: 'ImportCorrespondence', description: 'Where a column can go.' },
)
export type Correspondence = Static<typeof Correspondence>

export const MappingSuggestion = object(
  {
    degraded: boolean('Whether it was made without a model.'),
    correspondences: list(
      Correspondence,
      'Each column and each destination at most once, in the order of the columns; then the constants and templates that they need.',
    ),
  },
  { title: 'ImportMappingSuggestion', description: 'Where columns can go. Nothing is stored.' },
)
export type MappingSuggestion = Static<typeof MappingSuggestion>
