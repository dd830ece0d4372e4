import { isRecord, type LocatedSchema, type Schema } from '../openapi.ts'
import { isDryRunParameter, type ExposedOperation } from '../catalogue/operations.ts'
import type { Parameter } from './parameters.ts'

const spellings = {
  filters: '{"<field>": {"<operator>": value}}, or [{field, operator, value}]; or/and take such a list as value.',
  sorters: '{"<field>": "asc"|"desc"}, or [{field, order}].',
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
 * description of the parameter or of the operation if the document names all of them there. The shown schema may allow
 * more than the argument, never less. A description that says nothing more than the names do is left out.
 */
export function createListedArgument(
  parameter: Parameter,
  operation: Pick<ExposedOperation, 'name' | 'description'>,
): LocatedSchema {
  if (isSaidElsewhere(parameter, operation)) return removeDescription(parameter.schema)
  const { name, style, schema: located } = parameter
  const { description, type, maxItems, items } = located.schema
  const statedDescription = typeof description === 'string' ? description : ''
  if (
    style !== 'json'
    || type !== 'array'
    || !(name in spellings)
    || !containsWords(`${operation.description} ${statedDescription}`, listWords(items))
  )
    return createListArgument(parameter)
  const schema = {
    type: ['object', 'array'],
    description: `${spellings[name as keyof typeof spellings]} ${statedDescription}`,
    ...(maxItems === undefined ? {} : { maxItems }),
  }
  return { schema, pointer: located.pointer }
}

/**
 * Returns whether the names of the operation and of the parameter say all that the parameter's description says. The
 * server's instructions describe dry runs once for all tools.
 */
function isSaidElsewhere(parameter: Parameter, { name }: Pick<ExposedOperation, 'name'>): boolean {
  if (isDryRunParameter(parameter)) return true
  const { description } = parameter.schema.schema
  const [, noun = ''] = /^Identifier of the ([\w -]+)\.$/.exec(typeof description === 'string' ? description : '') ?? []
  const names = `${name} ${parameter.name}`.toLowerCase()
  return noun !== '' && noun.split(/[ -]/).some((word) => names.includes(word.toLowerCase()))
}

function removeDescription({ schema: { description: _, ...schema }, pointer }: LocatedSchema): LocatedSchema {
  return { schema, pointer }
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
