import { isRecord, type Located, type Schema } from './openapi.ts'
import type { Parameter } from './parameters.ts'

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

function byField(name: 'filters' | 'sorters', list: Schema): Schema {
  const item = isRecord(list['items']) && isRecord(list['items']['properties']) ? list['items']['properties'] : {}
  const words = (member: string) => {
    const stated = item[member]
    const values: unknown = isRecord(stated) ? stated['enum'] : undefined
    return Array.isArray(values)
      ? { propertyNames: { enum: values.filter((value) => !groups.includes(String(value))) } }
      : {}
  }
  const value = name === 'filters' ? { type: 'object', ...words('operator') } : { enum: ['asc', 'desc'] }
  const description = name === 'filters' ? '{"<field>": {"<operator>": value}}' : '{"<field>": "asc" or "desc"}'
  return { type: 'object', description, ...words('field'), additionalProperties: value }
}
