import {
  resolveReference,
  isRecord,
  joinPointer,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../openapi.ts'
import type { RequestBody } from '../catalogue/operations.ts'

/**
 * How arguments become a body: the members of an object are separate arguments, a root array is the argument `items`,
 * and anything else is one argument `body` that holds JSON, text, or bytes in base64.
 */
export type BodyForm =
  | {
      readonly as: 'members'
      readonly members: ReadonlyMap<string, LocatedSchema>
      readonly required: readonly string[]
      readonly rules: Schema
    }
  | { readonly as: 'items' | 'json' | 'text' | 'base64'; readonly schema: LocatedSchema }

/** Root keywords that flattening preserves by itself. */
const flattenedKeywords = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'allOf',
  'title',
  'description',
  'examples',
  'default',
  '$comment',
])

/** Root keywords that prevent a list of all members. */
const unlistableKeywords = ['patternProperties', 'propertyNames']

export function getBodyForm(document: ApiDocument, body: RequestBody): BodyForm {
  const { mediaType } = body
  const location = body.schema ?? { schema: {}, pointer: '#' }
  if (!isJson(mediaType)) return createOpaqueForm(mediaType, location)
  const root = resolveReference(document, location.schema, location.pointer)
  if (root.schema['type'] === 'array') return { as: 'items', schema: location }
  return flattenMembers(document, root) ?? { as: 'json', schema: location }
}

export const isJson = (mediaType: string) => /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(mediaType)

export const isText = (mediaType: string) =>
  isJson(mediaType)
  || /^(text\/|application\/(xml|x-ndjson|jwt|yaml|[\w.-]+\+(xml|jwt))\s*(;|$)|image\/svg\+xml)/i.test(mediaType)

function createOpaqueForm(mediaType: string, { pointer }: LocatedSchema): BodyForm {
  if (isText(mediaType))
    return { as: 'text', schema: { schema: { type: 'string', description: `The body, ${mediaType}.` }, pointer } }
  const description = `The body, ${mediaType}, in base64.`
  return { as: 'base64', schema: { schema: { type: 'string', contentEncoding: 'base64', description }, pointer } }
}

/** Returns the members of a closed object, including those of its `allOf`; null if the root is anything else. */
function flattenMembers(document: ApiDocument, root: LocatedSchema): BodyForm | null {
  const { schema, pointer } = root
  const open = isRecord(schema['additionalProperties']) || schema['additionalProperties'] === true
  if (open || unlistableKeywords.some((keyword) => keyword in schema)) return null
  const members = new Map<string, LocatedSchema>()
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
  const rules = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !flattenedKeywords.has(keyword) && !keyword.startsWith('x-')),
  )
  if (isRecord(schema['properties'])) {
    for (const [name, value] of Object.entries(schema['properties'])) {
      members.set(name, { schema: isRecord(value) ? value : {}, pointer: joinPointer(pointer, 'properties', name) })
    }
  }
  for (const [index, part] of (Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : []).entries()) {
    const form = flattenMembers(document, resolveReference(document, part, joinPointer(pointer, 'allOf', index)))
    if (form?.as !== 'members') return null
    form.required.forEach((name) => required.add(name))
    form.members.forEach((member, name) => members.set(name, joinSchemas(members.get(name), member)))
    Object.assign(rules, form.rules)
  }
  const free = members.size === 0 && schema['additionalProperties'] !== false
  return free ? null : { as: 'members', members, required: [...required], rules }
}

const joinSchemas = (first: LocatedSchema | undefined, second: LocatedSchema): LocatedSchema =>
  first ? { schema: { allOf: [first.schema, second.schema] }, pointer: second.pointer } : second
