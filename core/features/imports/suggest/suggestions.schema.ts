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

export const confidences = ['high', 'review', 'low'] as const
export type Confidence = (typeof confidences)[number]
export const origins = ['llm', 'lexical'] as const

/** The maximum number of columns in one question. */
export const maxFields = 1_000

const scalar = (description: string) =>
  Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean(), Type.Null()], { description })

export const SourceField = object(
  {
    id: string('CSV: name of the column. JSON: JSONPath of the value.', { minLength: 1, maxLength: 500 }),
    example: optional(scalar('One of its values.')),
    distinct: optional(integer('How many different values it has.', { minimum: 0 })),
    nulls: optional(integer('How many rows have no value.', { minimum: 0 })),
    min: optional(scalar('Its least value.')),
    max: optional(scalar('Its greatest value.')),
  },
  { title: 'ImportSourceField', description: 'What is known of a column of a file.' },
)
export type SourceField = Static<typeof SourceField>

export const MappingQuestion = object(
  {
    application: optional(uuid('Application that passports are to be made for.')),
    fields: list(SourceField, 'The columns of the file.', { minItems: 1, maxItems: maxFields }),
  },
  { title: 'ImportMappingQuestion', description: 'Columns that look for their destinations.' },
)
export type MappingQuestion = Static<typeof MappingQuestion>

export const Correspondence = object(
  {
    destination: string('Dotted path in the body that creates a passport.'),
    source: nullable(string('`id` of the column; null for a constant.')),
    kind: oneOf(['field', 'constant'], 'What a row of a mapper has to be for it.'),
    value: optional(string('Of a constant: the value of all rows.')),
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
      'Each column and each destination at most once, in the order of the columns; then the constants that they need.',
    ),
  },
  { title: 'ImportMappingSuggestion', description: 'Where columns can go. Nothing is stored.' },
)
export type MappingSuggestion = Static<typeof MappingSuggestion>
