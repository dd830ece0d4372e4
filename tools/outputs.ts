import { isJson } from './body.ts'
import { gather } from './gather.ts'
import { follow, type ApiDocument, type Located, type Schema } from './openapi.ts'
import type { ExposedOperation } from './operations.ts'
import { wholeView } from './shorten.ts'
import { mapSubschemas } from './subschemas.ts'

/** The schema of a tool's structured content, as each era takes it. */
export interface OutputSchemas {
  /** Its root is an object; what may be none stands under `result`. Source: MCP 2025-11-25, output schema. */
  readonly session: Schema
  /** Any JSON value. Source: MCP 2026-07-28, output schema. */
  readonly modern: Schema
}

/**
 * What the document says of the operation's successes, never stricter, and open to members that a newer API answers.
 * Null where a success may have no JSON content.
 */
export function outputSchemas(document: ApiDocument, operation: ExposedOperation): OutputSchemas | null {
  const found: Located[] = []
  for (const { content } of operation.successes) {
    const json = content.find(({ mediaType }) => isJson(mediaType))
    if (!json?.schema || content.some(({ mediaType }) => !isJson(mediaType))) return null
    found.push(json.schema)
  }
  if (found.length === 0) return null
  const { schemas, definitions } = gather(found, wholeView(document))
  const $defs = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, open(schema)]))
  const whole = (schema: Schema) => (Object.keys($defs).length === 0 ? schema : { ...schema, $defs })
  const shapes = schemas.map(open)
  const inSession = shapes.flatMap((schema, index) => wrapped(document, found[index] as Located, schema))
  const [only, ...others] = inSession
  const isObject = others.length === 0 && only?.['type'] === 'object'
  return {
    session: whole(isObject ? only : { type: 'object', anyOf: inSession }),
    modern: whole(shapes.length === 1 ? (shapes[0] as Schema) : { anyOf: shapes }),
  }
}

/** An object as it is, anything else under `result`; both where the document leaves it open. */
function wrapped(document: ApiDocument, { schema, pointer }: Located, shape: Schema): Schema[] {
  const stated = follow(document, schema, pointer).schema['type']
  const types: unknown[] = stated === undefined ? [] : [stated].flat()
  if (types.length === 1 && types[0] === 'object') return [shape]
  const under = { type: 'object', properties: { result: shape }, required: ['result'] }
  return types.length > 0 && !types.includes('object') ? [under] : [shape, under]
}

/**
 * The schema without a word against members that it does not name: what fitted it fits the result. Words that turn a
 * looser schema inside into a stricter one outside are left out.
 */
function open(schema: Schema): Schema {
  const opened = mapSubschemas(schema, '#', open)
  const { additionalProperties, unevaluatedProperties, oneOf, not, if: _, contains, ...rest } = opened
  return {
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    ...(unevaluatedProperties === undefined || unevaluatedProperties === false ? {} : { unevaluatedProperties }),
    ...(oneOf === undefined ? {} : either(rest, oneOf)),
  }
}

/** Of branches that are open several may fit. */
function either({ anyOf, allOf }: Schema, oneOf: unknown): Schema {
  if (anyOf === undefined) return { anyOf: oneOf }
  return { allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), { anyOf: oneOf }] }
}
