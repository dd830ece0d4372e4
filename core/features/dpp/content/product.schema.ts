import { Type, nameText, oneOf, optional, string, type Static } from '../../../kernel/schema.ts'

export const granularities = ['model', 'batch', 'item'] as const
export type Granularity = (typeof granularities)[number]

/** The names of the numbers that identify products, from the model to the item. */
export const numberNames = ['modelNumber', 'batchNumber', 'itemNumber'] as const

/** The maximum length of a number, in characters. All numbers together fit into one entry of an index. */
const maxNumberLength = 200
const createNumberSchema = (description: string) => optional(nameText(description, { maxLength: maxNumberLength }))

const members = {
  id: optional(Type.String({ format: 'uri', description: 'Its own GS1 Digital Link.' })),
  description: optional(string('What it is, for people.')),
  modelNumber: createNumberSchema('Required, unless an item has no model.'),
  batchNumber: createNumberSchema('Required for a batch and its items.'),
  itemNumber: createNumberSchema('Serial number; required for an item.'),
}

const title = 'Product'
const description = 'UNTP 0.7.0 Product, without `type` and `characteristics`.'

/** A product as it is sent. `untp.ts` validates the members that are not listed here against UNTP. */
export const Product = Type.Object(
  {
    name: string('Name for people.', { format: 'cell-name' }),
    idGranularity: oneOf(granularities, 'What it stands for.'),
    ...members,
  },
  { title, description, additionalProperties: true },
)
export type Product = Static<typeof Product> & Record<string, unknown>

/** A merge patch of a product: null removes a member. */
export const ProductPatch = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Product flow: members to change; granularity and numbers stay once published.',
})
