import { follow, isRecord, stepInto, type ApiDocument, type Located, type Schema } from './openapi.ts'
import type { Body } from './operations.ts'

/**
 * How a body is taken from arguments: its members side by side, a root array as `items`, anything else as one argument
 * `body`, whose content is JSON, text, or bytes in base64.
 */
export type BodyForm =
  | {
      readonly as: 'members'
      readonly members: ReadonlyMap<string, Located>
      readonly required: readonly string[]
      readonly rules: Schema
    }
  | { readonly as: 'items' | 'json' | 'text' | 'base64'; readonly schema: Located }

/** Root keywords that flattening keeps by itself. */
const kept = new Set([
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

/** Root keywords under which members cannot be listed one by one. */
const unlisted = ['patternProperties', 'propertyNames']

export function bodyForm(document: ApiDocument, body: Body): BodyForm {
  const { mediaType } = body
  const stated = body.schema ?? { schema: {}, pointer: '#' }
  if (!isJson(mediaType)) return opaque(mediaType, stated)
  const root = follow(document, stated.schema, stated.pointer)
  if (root.schema['type'] === 'array') return { as: 'items', schema: stated }
  return flatten(document, root) ?? { as: 'json', schema: stated }
}

export const isJson = (mediaType: string) => /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(mediaType)

export const isText = (mediaType: string) =>
  isJson(mediaType)
  || /^(text\/|application\/(xml|x-ndjson|jwt|yaml|[\w.-]+\+(xml|jwt))\s*(;|$)|image\/svg\+xml)/i.test(mediaType)

function opaque(mediaType: string, { pointer }: Located): BodyForm {
  if (isText(mediaType))
    return { as: 'text', schema: { schema: { type: 'string', description: `The body, ${mediaType}.` }, pointer } }
  const description = `The body, ${mediaType}, in base64.`
  return { as: 'base64', schema: { schema: { type: 'string', contentEncoding: 'base64', description }, pointer } }
}

/** The members of a closed object, those of its `allOf` included; null where the root is anything else. */
function flatten(document: ApiDocument, root: Located): BodyForm | null {
  const { schema, pointer } = root
  const open = isRecord(schema['additionalProperties']) || schema['additionalProperties'] === true
  if (open || unlisted.some((keyword) => keyword in schema)) return null
  const members = new Map<string, Located>()
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
  const rules = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !kept.has(keyword) && !keyword.startsWith('x-')),
  )
  if (isRecord(schema['properties'])) {
    for (const [name, value] of Object.entries(schema['properties'])) {
      members.set(name, { schema: isRecord(value) ? value : {}, pointer: stepInto(pointer, 'properties', name) })
    }
  }
  for (const [index, part] of (Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : []).entries()) {
    const form = flatten(document, follow(document, part, stepInto(pointer, 'allOf', index)))
    if (form?.as !== 'members') return null
    form.required.forEach((name) => required.add(name))
    form.members.forEach((member, name) => members.set(name, both(members.get(name), member)))
    Object.assign(rules, form.rules)
  }
  const free = members.size === 0 && schema['additionalProperties'] !== false
  return free ? null : { as: 'members', members, required: [...required], rules }
}

const both = (first: Located | undefined, second: Located): Located =>
  first ? { schema: { allOf: [first.schema, second.schema] }, pointer: second.pointer } : second
