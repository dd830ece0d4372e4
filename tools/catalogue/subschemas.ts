import { isRecord, joinPointer, type Schema } from '../openapi.ts'

const schemaKeywords = [
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
const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const schemaMapKeywords = ['properties', 'patternProperties', '$defs', 'dependentSchemas']

/** Returns whether a keyword of OpenAPI or of a vendor has no effect on values; `x-mcp-header` belongs to MCP. */
const isForeignKeyword = (keyword: string) =>
  (keyword.startsWith('x-') && keyword !== 'x-mcp-header') || keyword === 'xml' || keyword === 'externalDocs'

/**
 * Returns the schema with each direct subschema changed. Only keywords that hold schemas count, so a member named
 * `$ref` and a default that looks like a schema stay unchanged. Boolean schemas stay unchanged too.
 */
export function mapSubschemas(
  schema: Schema,
  pointer: string,
  change: (schema: Schema, pointer: string) => Schema,
): Schema {
  const changeValue = (value: unknown, at: string) => (isRecord(value) ? change(value, at) : value)
  const mapped: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (isForeignKeyword(keyword)) continue
    const at = joinPointer(pointer, keyword)
    if (schemaKeywords.includes(keyword)) mapped[keyword] = changeValue(value, at)
    else if (schemaListKeywords.includes(keyword) && Array.isArray(value)) {
      mapped[keyword] = value.map((entry: unknown, index) => changeValue(entry, joinPointer(at, index)))
    } else if (schemaMapKeywords.includes(keyword) && isRecord(value)) {
      mapped[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, entry]) => [name, changeValue(entry, joinPointer(at, name))]),
      )
    } else mapped[keyword] = value
  }
  return mapped
}

/** Calls `visit` with each direct subschema. */
export function visitSubschemas(
  schema: Schema,
  pointer: string,
  visit: (schema: Schema, pointer: string) => void,
): void {
  mapSubschemas(schema, pointer, (inner, at) => {
    visit(inner, at)
    return inner
  })
}

export const getReference = (schema: Schema): string | null =>
  typeof schema['$ref'] === 'string' ? schema['$ref'] : null
