import { isRecord, type Schema } from '../openapi.ts'

/** The keywords that apply to values of one type only. Source: JSON Schema Validation 2020-12, section 6. */
const boundKeywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
  ],
  boolean: [],
  null: [],
}
const getBoundKeywords = (type: string) => boundKeywords[type === 'integer' ? 'number' : type] ?? []

/** Keywords next to alternatives that do not restrict values. */
const annotationKeywords = ['description', 'default', 'deprecated', 'readOnly', 'writeOnly']

/**
 * Unites alternatives of different types into one schema. The valid values stay the same, because each keyword applies
 * only to values of its type. All other schemas stay unchanged, for example alternatives with different descriptions.
 */
export function uniteAlternatives(schema: Schema): Schema {
  const word = isRecord(schema) && Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf'
  const { [word]: stated, ...beside } = schema
  const one = Array.isArray(stated) && stated.every(isRecord) ? joinAlternatives(stated) : null
  if (!one || Object.keys(beside).some((keyword) => !annotationKeywords.includes(keyword) || keyword in one))
    return schema
  return { ...one, ...beside }
}

function joinAlternatives(alternatives: readonly Schema[]): Schema | null {
  const types = alternatives.map((one) => (isUnitable(one) ? (one['type'] as string) : null))
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

/** Returns whether a schema has one type and only the keywords that apply to it. */
function isUnitable(schema: Schema): boolean {
  const { type } = schema
  if (typeof type !== 'string' || !(type in boundKeywords || type === 'integer')) return false
  const allowed = [...getBoundKeywords(type), 'type', ...(type === 'null' ? [] : ['enum', 'description'])]
  return Object.keys(schema).every((keyword) => allowed.includes(keyword))
}
