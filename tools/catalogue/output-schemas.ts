import { isJson } from '../arguments/body-form.ts'
import { gatherSchemas } from '../arguments/gather-schemas.ts'
import { resolveReference, type ApiDocument, type LocatedSchema, type Schema } from '../openapi.ts'
import type { ExposedOperation } from './operations.ts'
import { createFullView } from './shorten.ts'
import { mapSubschemas } from './subschemas.ts'

/** The schemas of a tool's structured content, one per era. */
export interface OutputSchemas {
  /**
   * The root is an object; content that may be something else is under `result`. Source: MCP 2025-11-25, output schema.
   */
  readonly session: Schema
  /** The content may be any JSON value. Source: MCP 2026-07-28, output schema. */
  readonly modern: Schema
}

/**
 * Creates the output schemas from the successes in the document. They are never stricter than the document and allow
 * members that a newer API may add. Returns null if a success may have other content than JSON.
 */
export function createOutputSchemas(document: ApiDocument, operation: ExposedOperation): OutputSchemas | null {
  const successSchemas: LocatedSchema[] = []
  for (const { content } of operation.successes) {
    const json = content.find(({ mediaType }) => isJson(mediaType))
    if (!json?.schema || content.some(({ mediaType }) => !isJson(mediaType))) return null
    successSchemas.push(json.schema)
  }
  if (successSchemas.length === 0) return null
  const { schemas, definitions } = gatherSchemas(successSchemas, createFullView(document))
  const $defs = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, openSchema(schema)]))
  const withDefinitions = (schema: Schema) => (Object.keys($defs).length === 0 ? schema : { ...schema, $defs })
  const openSchemas = schemas.map(openSchema)
  const inSession = openSchemas.flatMap((schema, index) =>
    wrapSchema(document, successSchemas[index] as LocatedSchema, schema),
  )
  const [only, ...others] = inSession
  const isObject = others.length === 0 && only?.['type'] === 'object'
  return {
    session: withDefinitions(isObject ? only : { type: 'object', anyOf: inSession }),
    modern: withDefinitions(openSchemas.length === 1 ? (openSchemas[0] as Schema) : { anyOf: openSchemas }),
  }
}

/** Returns the schema of an object unchanged and puts anything else under `result`; both if the type is open. */
function wrapSchema(document: ApiDocument, { schema, pointer }: LocatedSchema, shape: Schema): Schema[] {
  const stated = resolveReference(document, schema, pointer).schema['type']
  const types: unknown[] = stated === undefined ? [] : [stated].flat()
  if (types.length === 1 && types[0] === 'object') return [shape]
  const under = { type: 'object', properties: { result: shape }, required: ['result'] }
  return types.length > 0 && !types.includes('object') ? [under] : [shape, under]
}

/**
 * Removes the rules against unknown members; every value that was valid stays valid. It also removes the keywords with
 * which a looser inner schema would become a stricter outer one.
 */
function openSchema(schema: Schema): Schema {
  const opened = mapSubschemas(schema, '#', openSchema)
  const { additionalProperties, unevaluatedProperties, oneOf, not, if: _, contains, ...rest } = opened
  return {
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    ...(unevaluatedProperties === undefined || unevaluatedProperties === false ? {} : { unevaluatedProperties }),
    ...(oneOf === undefined ? {} : joinAlternatives(rest, oneOf)),
  }
}

/** Converts `oneOf` to `anyOf`, because several open branches may match a value. */
function joinAlternatives({ anyOf, allOf }: Schema, oneOf: unknown): Schema {
  if (anyOf === undefined) return { anyOf: oneOf }
  return { allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), { anyOf: oneOf }] }
}
