import { isJson } from '../arguments/body-form.ts'
import { gatherSchemas } from '../arguments/gather-schemas.ts'
import { isRecord, resolveReference, type ApiDocument, type LocatedSchema, type Schema } from '../openapi.ts'
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

/** The structured content of a call that answers its preview. */
const previewSchema: Schema = {
  type: 'object',
  properties: { preview: { type: 'object' }, confirm: { type: 'string' } },
  required: ['preview'],
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
  const open = selectsMembers(operation) ? (schema: Schema) => openSchema(removeRequired(schema)) : openSchema
  const $defs = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, open(schema)]))
  const withDefinitions = (schema: Schema) => (Object.keys($defs).length === 0 ? schema : { ...schema, $defs })
  const openSchemas = schemas.map(open)
  const inSession = openSchemas.flatMap((schema, index) =>
    wrapSchema(document, successSchemas[index] as LocatedSchema, schema),
  )
  if (operation.preview !== null) {
    inSession.push(previewSchema)
    openSchemas.push(previewSchema)
  }
  const [only, ...others] = inSession
  const isObject = others.length === 0 && only?.['type'] === 'object'
  return {
    session: withDefinitions(isObject ? only : { type: 'object', anyOf: inSession }),
    modern: withDefinitions(openSchemas.length === 1 ? (openSchemas[0] as Schema) : { anyOf: openSchemas }),
  }
}

/**
 * Finds the resource that shows what an operation started, as the body of its 202 does: a path that ends in one id, and
 * an answer with the same members besides `jobId`. Returns its path with one variable; null if there is none.
 */
export function findStartedResource(
  document: ApiDocument,
  { successes }: ExposedOperation,
  operations: readonly ExposedOperation[],
): string | null {
  const started = listMembers(document, successes, '202')
  if (!started?.has('id') || !started.delete('jobId')) return null
  const found = operations.find(({ kind, path, successes: shown }) => {
    if (kind !== 'resource' || !/^[^{}]*\{[^{}]+\}$/.test(path)) return false
    const members = listMembers(document, shown, '200')
    return members !== null && members.size === started.size && [...members].every((name) => started.has(name))
  })
  return found?.path ?? null
}

/** Lists the names of the members of a JSON success; null if it has none. */
function listMembers(
  document: ApiDocument,
  successes: ExposedOperation['successes'],
  wanted: string,
): Set<string> | null {
  const content = successes.find(({ status }) => status === wanted)?.content ?? []
  const schema = content.find(({ mediaType }) => isJson(mediaType))?.schema
  if (!schema) return null
  const { properties } = resolveReference(document, schema.schema, schema.pointer).schema
  return isRecord(properties) ? new Set(Object.keys(properties)) : null
}

/** Returns whether the caller may leave members out of the answer, also those that the document requires. */
const selectsMembers = ({ parameters }: ExposedOperation) =>
  parameters.some((one) => one.in === 'query' && one.name === 'fields')

function removeRequired(schema: Schema): Schema {
  const { required: _, ...rest } = mapSubschemas(schema, '#', removeRequired)
  return rest
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
