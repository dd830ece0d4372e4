import { isRecord, type Located, type Schema } from './openapi.ts'
import type { Parameter } from './parameters.ts'

const spelling = {
  filters:
    '{"<field>": {"<operator>": value}}, or a list of {field, operator, value}; or/and take such a list as value.',
  sorters: '{"<field>": "asc"|"desc"}, or a list of {field, order}.',
}

/** Operators that take no value: the API passes over one, so that false would say the opposite of what is meant. */
const valueless = { null: { enum: [true] }, nnull: { enum: [true] } }

/** Groups are spelled in the list form only. */
const groups = ['or', 'and']

/**
 * The argument for `filters` and `sorters`: an object by field, or the API's own list. The object form takes the fields
 * and operators that the document names for the list. Any other parameter is taken as it is.
 */
export function listArgument({ name, style, schema: located }: Parameter): Located {
  const { schema, pointer } = located
  if (style !== 'json' || (name !== 'filters' && name !== 'sorters')) return located
  const { description, ...rest } = schema
  const forms =
    rest['type'] === 'array'
      ? [byField(name, rest), rest]
      : rest['type'] === 'object'
        ? [rest, { type: 'array', items: { type: 'object' } }]
        : null
  if (!forms) return located
  return { schema: { ...(description === undefined ? {} : { description }), anyOf: forms }, pointer }
}

/**
 * The same as a list of tools shows it: its fields and operators stand in its description only, where the document
 * names them all there. What is shown takes more than the argument does, never less.
 */
export function shownListArgument(parameter: Parameter): Located {
  const { name, style, schema: located } = parameter
  const { description, type, maxItems, items } = located.schema
  const told = typeof description === 'string' ? description : ''
  if (style !== 'json' || type !== 'array' || !(name in spelling) || !names(told, wordsOf(items)))
    return listArgument(parameter)
  const schema = {
    type: ['object', 'array'],
    description: `${spelling[name as keyof typeof spelling]} ${told}`,
    additionalProperties: name === 'filters' ? { type: 'object' } : { enum: ['asc', 'desc'] },
    items: { type: 'object' },
    ...(maxItems === undefined ? {} : { maxItems }),
  }
  return { schema, pointer: located.pointer }
}

function names(text: string, words: readonly string[]): boolean {
  const named = new Set(text.split(/[^\w.]+/).map((one) => one.replace(/\.$/, '')))
  return words.every((word) => named.has(word))
}

/** Fields and operators that a list names; groups and orders are spelled out above. */
function wordsOf(items: unknown): string[] {
  const members = isRecord(items) && isRecord(items['properties']) ? items['properties'] : {}
  const words = ['field', 'operator'].flatMap((member) => {
    const stated = members[member]
    return isRecord(stated) && Array.isArray(stated['enum']) ? stated['enum'].map(String) : []
  })
  return words.filter((word) => !groups.includes(word))
}

function byField(name: 'filters' | 'sorters', list: Schema): Schema {
  const item = isRecord(list['items']) && isRecord(list['items']['properties']) ? list['items']['properties'] : {}
  const words = (member: string) => {
    const stated = item[member]
    const values: unknown = isRecord(stated) ? stated['enum'] : undefined
    return Array.isArray(values)
      ? { propertyNames: { enum: values.filter((value) => !groups.includes(String(value))) } }
      : {}
  }
  const conditions = { type: 'object', minProperties: 1, ...words('operator'), properties: valueless }
  const value = name === 'filters' ? conditions : { enum: ['asc', 'desc'] }
  const description = name === 'filters' ? '{"<field>": {"<operator>": value}}' : '{"<field>": "asc" or "desc"}'
  return { type: 'object', description, ...words('field'), additionalProperties: value }
}
