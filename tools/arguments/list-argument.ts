import { isRecord, type LocatedSchema, type Schema } from '../openapi.ts'
import type { Parameter } from './parameters.ts'

const spellings = {
  filters:
    '{"<field>": {"<operator>": value}}, or a list of {field, operator, value}; or/and take such a list as value.',
  sorters: '{"<field>": "asc"|"desc"}, or a list of {field, order}.',
}

/** Operators that take no value. The API ignores a value, so `false` would have the opposite of its meaning. */
const valuelessOperators = { null: { enum: [true] }, nnull: { enum: [true] } }

/** Operators of groups, which exist only in the list form. */
const groupOperators = ['or', 'and']

/**
 * Returns the schema of an argument. `filters` and `sorters` may be an object by field or the API's own list; the
 * object form allows the fields and operators that the document names for the list. Other parameters are unchanged.
 */
export function createListArgument({ name, style, schema: located }: Parameter): LocatedSchema {
  const { schema, pointer } = located
  if (style !== 'json' || (name !== 'filters' && name !== 'sorters')) return located
  const { description, ...rest } = schema
  const forms =
    rest['type'] === 'array'
      ? [createFieldForm(name, rest), rest]
      : rest['type'] === 'object'
        ? [rest, { type: 'array', items: { type: 'object' } }]
        : null
  if (!forms) return located
  return { schema: { ...(description === undefined ? {} : { description }), anyOf: forms }, pointer }
}

/**
 * Returns the schema of an argument for lists of tools. Fields and operators of `filters` and `sorters` are only in the
 * description if the document names all of them there. The shown schema may allow more than the argument, never less.
 */
export function createListedArgument(parameter: Parameter): LocatedSchema {
  const { name, style, schema: located } = parameter
  const { description, type, maxItems, items } = located.schema
  const statedDescription = typeof description === 'string' ? description : ''
  if (
    style !== 'json'
    || type !== 'array'
    || !(name in spellings)
    || !containsWords(statedDescription, listWords(items))
  )
    return createListArgument(parameter)
  const schema = {
    type: ['object', 'array'],
    description: `${spellings[name as keyof typeof spellings]} ${statedDescription}`,
    additionalProperties: name === 'filters' ? { type: 'object' } : { enum: ['asc', 'desc'] },
    items: { type: 'object' },
    ...(maxItems === undefined ? {} : { maxItems }),
  }
  return { schema, pointer: located.pointer }
}

function containsWords(text: string, words: readonly string[]): boolean {
  const named = new Set(text.split(/[^\w.]+/).map((one) => one.replace(/\.$/, '')))
  return words.every((word) => named.has(word))
}

/** Returns the fields and operators that a list's schema names, without the operators of groups. */
function listWords(items: unknown): string[] {
  const members = isRecord(items) && isRecord(items['properties']) ? items['properties'] : {}
  const words = ['field', 'operator'].flatMap((member) => {
    const stated = members[member]
    return isRecord(stated) && Array.isArray(stated['enum']) ? stated['enum'].map(String) : []
  })
  return words.filter((word) => !groupOperators.includes(word))
}

function createFieldForm(name: 'filters' | 'sorters', list: Schema): Schema {
  const item = isRecord(list['items']) && isRecord(list['items']['properties']) ? list['items']['properties'] : {}
  const words = (member: string) => {
    const stated = item[member]
    const values: unknown = isRecord(stated) ? stated['enum'] : undefined
    return Array.isArray(values)
      ? { propertyNames: { enum: values.filter((value) => !groupOperators.includes(String(value))) } }
      : {}
  }
  const conditions = { type: 'object', minProperties: 1, ...words('operator'), properties: valuelessOperators }
  const value = name === 'filters' ? conditions : { enum: ['asc', 'desc'] }
  const description = name === 'filters' ? '{"<field>": {"<operator>": value}}' : '{"<field>": "asc" or "desc"}'
  return { type: 'object', description, ...words('field'), additionalProperties: value }
}
