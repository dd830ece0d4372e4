import {
  resolveReference,
  isRecord,
  resolvePointer,
  joinPointer,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../openapi.ts'
import { visitSubschemas, mapSubschemas, getReference } from './subschemas.ts'

/** A nested object with more members than this, including those of its children, shows only its required members. */
const maxMembers = 8

/** Splits a description after each full stop that a space follows. */
export const splitSentences = (text: string) => text.split(/(?<=\.) /)

/** A way of showing schemas: `show` keeps references, and `target` returns the shown schema behind one. */
export interface SchemaView {
  show: (schema: Schema, pointer: string) => Schema
  target: (ref: string) => Schema
}

/** Creates a view that shows everything as the document states it. */
export function createFullView(document: ApiDocument): SchemaView {
  const targets = new Map<string, Schema>()
  const show = (schema: Schema, pointer: string): Schema => {
    const ref = getReference(schema)
    if (ref !== null) target(ref)
    return mapSubschemas(schema, pointer, show)
  }
  const target = (ref: string): Schema => {
    const known = targets.get(ref)
    if (known) return known
    const { schema, pointer } = resolveTarget(document, ref)
    targets.set(ref, schema)
    const shown = show(schema, pointer)
    targets.set(ref, shown)
    return shown
  }
  return { show, target }
}

/**
 * Creates a view that shows large nested objects only with their required members and the address of the full schema.
 * It shortens the innermost objects first, so that an object keeps all its members if shortening its children is
 * enough. An object or a list with `x-mcp-short` is always shortened. Members that are not shown are still allowed.
 * @param getAddress returns the address of the full schema at a pointer
 */
export function createShortView(document: ApiDocument, getAddress: (pointer: string) => string): SchemaView {
  const targets = new Map<string, Schema>()
  const open = new Set<string>()
  const show = (schema: Schema, pointer: string): Schema => {
    const ref = getReference(schema)
    if (schema['x-mcp-short'] === true && isRecord(schema['items'])) return showShort(schema, schema['items'], pointer)
    if (ref !== null && !open.has(ref)) target(ref)
    const shown = mapSubschemas(schema, pointer, show)
    if (!isRecord(shown['properties'])) return shown
    const count = countMembers(shown, pointer, (name) => targets.get(name))
    return count > maxMembers || schema['x-mcp-short'] === true
      ? shortenSchema(shown, countAllMembers(document, schema, pointer), getAddress(pointer))
      : shown
  }
  /** Shows a list without its items, whose address it names. */
  const showShort = ({ 'x-mcp-short': _, ...list }: Schema, items: Schema, pointer: string): Schema => {
    const { schema, pointer: at } = resolveReference(document, items, joinPointer(pointer, 'items'))
    const description = `All ${countAllMembers(document, schema, at)} members are in the resource ${getAddress(at)}`
    return { ...list, items: { type: schema['type'], description } }
  }
  const target = (ref: string): Schema => {
    const known = targets.get(ref)
    if (known) return known
    const { schema, pointer } = resolveTarget(document, ref)
    open.add(ref)
    const shown = show(schema, pointer)
    open.delete(ref)
    targets.set(ref, shown)
    return shown
  }
  return { show, target }
}

/**
 * Resolves one reference step, which keeps the rules next to a further reference.
 * @throws DocumentError for a circle
 */
function resolveTarget(document: ApiDocument, ref: string): LocatedSchema {
  resolveReference(document, { $ref: ref }, ref)
  return { schema: resolvePointer(document, ref) as Schema, pointer: ref }
}

function shortenSchema(schema: Schema, count: number, address: string): Schema {
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  const properties = Object.entries(schema['properties'] as Schema)
    .filter(([name]) => required.includes(name))
    .map(([name, member]) => [name, isRecord(member) ? removeInnerMembers(member) : member] as const)
  const note = `Required members only; all ${count}: the resource ${address}`
  const description = typeof schema['description'] === 'string' ? `${schema['description']} ${note}` : note
  return {
    ...(schema['type'] === undefined ? {} : { type: schema['type'] }),
    description,
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties), required }),
  }
}

/** Returns a member without the members inside it; the resource that has them is named beside it. */
function removeInnerMembers(member: Schema): Schema {
  const { items } = member
  const hasInner = isRecord(items) && (items['properties'] !== undefined || getReference(items) !== null)
  const hidden = [
    ...(isRecord(member['properties']) ? ['properties', 'required', 'additionalProperties'] : []),
    ...(hasInner ? ['items'] : []),
  ]
  return Object.fromEntries(Object.entries(member).filter(([keyword]) => !hidden.includes(keyword)))
}

const countAllMembers = (document: ApiDocument, schema: Schema, pointer: string) =>
  countMembers(schema, pointer, (ref) => resolveTarget(document, ref).schema)

/** Counts the distinct members below a schema; members behind a shared reference count once. */
function countMembers(schema: Schema, pointer: string, targetOf: (ref: string) => Schema | undefined): number {
  const members = new Set<string>()
  const seen = new Set<string>()
  const visit = (at: Schema, where: string) => {
    const ref = getReference(at)
    if (ref !== null && !seen.has(ref)) {
      seen.add(ref)
      const target = targetOf(ref)
      if (target) visit(target, ref)
    }
    if (isRecord(at['properties'])) {
      for (const name of Object.keys(at['properties'])) members.add(joinPointer(where, 'properties', name))
    }
    visitSubschemas(at, where, visit)
  }
  visit(schema, pointer)
  return members.size
}
