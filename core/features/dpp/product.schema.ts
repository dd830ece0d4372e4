import { Type, nameText, oneOf, optional, string, type Static } from '../../kernel/schema.ts'

export const granularities = ['model', 'batch', 'item'] as const
export type Granularity = (typeof granularities)[number]

/** Names of the numbers that tell products apart, from the model to the item. */
export const numberNames = ['modelNumber', 'batchNumber', 'itemNumber'] as const

/** Longest number, in characters: all of them together fit one entry of an index. */
const longestNumber = 200
const number = (description: string) =>
  optional(nameText(description, { maxLength: longestNumber }))

const members = {
  id: optional(Type.String({ format: 'uri', description: 'Its own GS1 Digital Link.' })),
  description: optional(string('What it is, for people.')),
  modelNumber: number('Required, but not of an item without a model.'),
  batchNumber: number('Required of a batch and its items.'),
  itemNumber: number('Serial number, required of an item.'),
}

const title = 'Product'
const description = 'UNTP 0.7.0 Product; any member but `type` and `characteristics`.'

/** A product as it is sent; what UNTP says of the members that are not here, `untp.ts` holds it to. */
export const Product = Type.Object({
  name: string('Name for people.', { format: 'cell-name' }),
  idGranularity: oneOf(granularities, 'What it stands for.'),
  ...members,
}, { title, description, additionalProperties: true })
export type Product = Static<typeof Product> & Record<string, unknown>

/** A merge patch of a product: null removes a member. */
export const ProductPatch = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Product flow: members to change; granularity and numbers are fixed once published.',
})
