import { Type, boolean, integer, list, object, oneOf, optional, record, string } from '../../kernel/schema.ts'

export const fieldTypes = [
  'string', 'text', 'number', 'boolean', 'date', 'url', 'image', 'enum', 'json', 'array', 'object',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** One field of a sheet. Which of the optional members a type takes: `fields.definitions.ts`. */
export interface FieldDefinition {
  /** Key of the value; `[]` for the elements of an array. */
  name: string
  type: FieldType
  label?: string
  required?: boolean
  default?: unknown
  minLength?: number
  maxLength?: number
  min?: number | string
  max?: number | string
  variants?: readonly string[]
  itemsType?: FieldDefinition
  fields?: readonly FieldDefinition[]
}

const bound = (side: string) => Type.Union([
  Type.Number({ description: `${side} number taken, itself included.` }),
  Type.String({ description: `${side} day or instant taken, itself included; a day covers all its instants in UTC.` }),
])

/** The shape of a definition; `validateDefinitions` judges what a shape cannot say, and the nested ones. */
const shape = object({
  name: string('Key of the value, unique among its siblings; `[]` for the elements of an array.', {
    minLength: 1, maxLength: 64,
  }),
  type: oneOf(fieldTypes, [
    'What values are taken: `string` one line, `text` many lines, `number`, `boolean`,',
    '`date` as YYYY-MM-DD or RFC 3339, `url` absolute http(s), `image` absolute http(s) or ipfs,',
    '`enum` one of `variants`, `json` anything, `array`, `object`.',
  ].join(' ')),
  label: optional(string('Text for people, in place of the name.', { maxLength: 200 })),
  required: optional(boolean('Whether a value has to be sent, unless there is a default. False when left out.')),
  default: optional(Type.Unknown({ description: 'Value stored when none is sent; it has to be of the type.' })),
  minLength: optional(integer('For string the fewest characters, for array the fewest elements.', { minimum: 0 })),
  maxLength: optional(integer('For string the most characters, for array the most elements.', { minimum: 0 })),
  min: optional(bound('Least')),
  max: optional(bound('Greatest')),
  variants: optional(list(Type.String(), 'For enum, where it is required: the words taken.', {
    minItems: 1, maxItems: 500, uniqueItems: true,
  })),
  itemsType: optional(record('For array, where it is required: the definition of every element, named `[]`.')),
  fields: optional(list(
    record('A definition of the same shape.'),
    'For object, where it is required: its members. Definitions nest at most 6 deep.',
  )),
}, {
  title: 'FieldDefinition', description: 'One field of a product sheet: its key, its type and what the type allows.',
})

export const FieldDefinition = Type.Unsafe<FieldDefinition>(shape)
