import { localizedName, type LocalizedText } from '../../../kernel/text/localized.ts'
import { Type, boolean, integer, list, object, oneOf, optional, record, string } from '../../../kernel/schema.ts'

export const fieldTypes = [
  'string',
  'text',
  'number',
  'boolean',
  'date',
  'url',
  'image',
  'enum',
  'json',
  'array',
  'object',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** One field of a sheet. `fields.definitions.ts` says which of the optional members a type takes. */
export interface FieldDefinition {
  /** The key of the value; `[]` for the elements of an array. */
  name: string
  type: FieldType
  label?: LocalizedText
  required?: boolean
  default?: unknown
  minLength?: number
  maxLength?: number
  min?: number | string
  max?: number | string
  variants?: readonly string[]
  /** What people read for the words of an enum. */
  variantLabels?: Readonly<Record<string, LocalizedText>>
  itemsType?: FieldDefinition
  fields?: readonly FieldDefinition[]
}

const createBoundSchema = (description: string) => Type.Union([Type.Number(), Type.String()], { description })

/**
 * The schema of one definition. `validateDefinitions` validates what a schema cannot express, and nested definitions.
 */
const definitionSchema = object(
  {
    name: string('Key of the value; `[]` of an element.', {
      minLength: 1,
      maxLength: 64,
    }),
    type: oneOf(fieldTypes, '`string`: one line. `date`: YYYY-MM-DD or RFC 3339. `url`: http(s). `image`: also ipfs.'),
    label: optional(localizedName('Name for people; by language: `{"en": …}`.', { maxLength: 200 })),
    required: optional(boolean('Whether a value has to be sent; not with a default.')),
    default: optional(Type.Unknown({ description: 'Stored when no value is sent.' })),
    minLength: optional(integer('Fewest characters of a string or elements of an array.', { minimum: 0 })),
    maxLength: optional(integer('Most characters or elements.', { minimum: 0 })),
    min: optional(
      createBoundSchema('Least number, day or instant, itself included; a day covers all its instants in UTC.'),
    ),
    max: optional(createBoundSchema('Greatest one, likewise.')),
    variants: optional(
      list(Type.String(), 'Required of enum: the words taken.', {
        minItems: 1,
        maxItems: 500,
        uniqueItems: true,
      }),
    ),
    variantLabels: optional(record('Of enum: names for people of its words, each as `label` is.')),
    itemsType: optional(record('Required of array: the definition of its elements.')),
    fields: optional(
      list(record('A definition of the same shape.'), 'Required of object: its members, at most 6 deep.'),
    ),
  },
  {
    title: 'FieldDefinition',
    description: 'A field of a product sheet.',
  },
)

export const FieldDefinition = Type.Unsafe<FieldDefinition>(definitionSchema)
