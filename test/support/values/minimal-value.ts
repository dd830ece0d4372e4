import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'

type Schema = OpenApi.SchemaObject & { $ref?: string }

/** Creates a minimal valid value of a schema: its own example if it has one, otherwise only the required members. */
export function createMinimalValue(schema: Schema, document: OpenApi.Document, depth: number): unknown {
  if (schema.$ref) return createMinimalValue(resolveReference(schema.$ref, document), document, depth + 1)
  if (schema.examples?.length) return schema.examples[0] as unknown
  if (schema.default !== undefined) return schema.default
  if (schema.enum?.length) return schema.enum[0] as unknown
  const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (branches?.[0]) return createMinimalValue(branches[0], document, depth + 1)
  return createValueOfType(schema, document, depth)
}

function createValueOfType(schema: Schema, document: OpenApi.Document, depth: number): unknown {
  if (schema.type === 'array')
    return depth > 6 || !('items' in schema) ? [] : [createMinimalValue(schema.items as Schema, document, depth + 1)]
  if (schema.type === 'object') {
    const memberNames = schema.required ?? Object.keys(schema.properties ?? {}).slice(0, 1)
    return Object.fromEntries(
      memberNames.map((name) => [
        name,
        createMinimalValue((schema.properties?.[name] ?? {}) as Schema, document, depth + 1),
      ]),
    )
  }
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'string') return samplesByFormat[schema.format ?? ''] ?? 'text'
  return {}
}

const samplesByFormat: Record<string, string> = {
  uuid: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
}

function resolveReference(ref: string, document: OpenApi.Document): Schema {
  const name = ref.split('/').at(-1) ?? ''
  return (document.components?.schemas?.[name] ?? {}) as Schema
}
