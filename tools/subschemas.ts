import { isRecord, stepInto, type Schema } from './openapi.ts'

const single = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
]
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const named = ['properties', 'patternProperties', '$defs', 'dependentSchemas']

/** Keywords of OpenAPI and of vendors that say nothing about a value; `x-mcp-header` is the protocol's. */
const foreign = (keyword: string) =>
  (keyword.startsWith('x-') && keyword !== 'x-mcp-header') || keyword === 'xml' || keyword === 'externalDocs'

/**
 * The schema with each direct subschema changed. It knows which keywords hold schemas, so that a member that is named
 * `$ref` and a default that looks like a schema stay as they are. Boolean schemas stay too.
 */
export function mapSubschemas(
  schema: Schema,
  pointer: string,
  change: (schema: Schema, pointer: string) => Schema,
): Schema {
  const one = (value: unknown, at: string) => (isRecord(value) ? change(value, at) : value)
  const mapped: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (foreign(keyword)) continue
    const at = stepInto(pointer, keyword)
    if (single.includes(keyword)) mapped[keyword] = one(value, at)
    else if (several.includes(keyword) && Array.isArray(value)) {
      mapped[keyword] = value.map((entry: unknown, index) => one(entry, stepInto(at, index)))
    } else if (named.includes(keyword) && isRecord(value)) {
      mapped[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, entry]) => [name, one(entry, stepInto(at, name))]),
      )
    } else mapped[keyword] = value
  }
  return mapped
}

/** Calls `visit` with each direct subschema. */
export function eachSubschema(schema: Schema, pointer: string, visit: (schema: Schema, pointer: string) => void): void {
  mapSubschemas(schema, pointer, (inner, at) => {
    visit(inner, at)
    return inner
  })
}

export const refOf = (schema: Schema): string | null => (typeof schema['$ref'] === 'string' ? schema['$ref'] : null)
