import { isRecord, type Schema } from './openapi.ts'

/** Keywords that bind values of one type only. Source: JSON Schema Validation 2020-12, section 6. */
const bound: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  object: [
    'properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties',
    'maxProperties', 'dependentRequired', 'dependentSchemas',
  ],
  boolean: [],
  null: [],
}
const boundBy = (type: string) => bound[type === 'integer' ? 'number' : type] ?? []

/** What may stand beside alternatives without binding a value. */
const annotations = ['description', 'default', 'deprecated', 'readOnly', 'writeOnly']

/**
 * Alternatives of different types as one schema: a keyword binds values of its type only, so both take the same.
 * Anything else stays as it is, as alternatives that are described differently.
 */
export function unite(schema: Schema): Schema {
  const word = isRecord(schema) && Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf'
  const { [word]: stated, ...beside } = schema
  const one = Array.isArray(stated) && stated.every(isRecord) ? united(stated) : null
  if (!one || Object.keys(beside).some((keyword) => !annotations.includes(keyword) || keyword in one)) return schema
  return { ...one, ...beside }
}

function united(alternatives: readonly Schema[]): Schema | null {
  const types = alternatives.map((one) => (fits(one) ? (one['type'] as string) : null))
  const kinds = types.map((type) => (type === 'integer' ? 'number' : type))
  if (kinds.includes(null) || new Set(kinds).size < kinds.length) return null
  const values = alternatives.filter((one) => one['type'] !== 'null')
  const nullable = values.length < alternatives.length
  const described = new Set(values.map((one) => one['description']))
  const listed = values.filter((one) => 'enum' in one)
  if (described.size > 1 || (listed.length > 0 && listed.length < values.length)) return null
  const enumeration = listed.flatMap((one) => one['enum'] as unknown[])
  const { type: _, enum: __, ...rules } = Object.assign({}, ...values) as Record<string, unknown>
  return {
    type: types,
    ...(listed.length > 0 && { enum: [...enumeration, ...(nullable ? [null] : [])] }),
    ...rules,
  }
}

/** One type, and nothing but what binds it. */
function fits(schema: Schema): boolean {
  const { type } = schema
  if (typeof type !== 'string' || !(type in bound || type === 'integer')) return false
  const allowed = [...boundBy(type), 'type', ...(type === 'null' ? [] : ['enum', 'description'])]
  return Object.keys(schema).every((keyword) => allowed.includes(keyword))
}
