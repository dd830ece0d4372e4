import { follow, isRecord, resolvePointer, stepInto, type ApiDocument, type Located, type Schema } from './openapi.ts'
import { eachSubschema, mapSubschemas, refOf } from './subschemas.ts'

/** A nested object with more members than this, its children's included, is shown by its required ones. */
const mostMembers = 30

/** How a schema is shown: references stay, and `target` says what stands behind one. */
export interface View {
  show: (schema: Schema, pointer: string) => Schema
  target: (ref: string) => Schema
}

/** Everything as the document states it. */
export function wholeView(document: ApiDocument): View {
  const targets = new Map<string, Schema>()
  const show = (schema: Schema, pointer: string): Schema => {
    const ref = refOf(schema)
    if (ref !== null) target(ref)
    return mapSubschemas(schema, pointer, show)
  }
  const target = (ref: string): Schema => {
    const known = targets.get(ref)
    if (known) return known
    const { schema, pointer } = behind(document, ref)
    targets.set(ref, schema)
    const shown = show(schema, pointer)
    targets.set(ref, shown)
    return shown
  }
  return { show, target }
}

/**
 * Large nested objects by their required members and the address of the full schema, innermost first, so that an
 * object keeps all its own members where shortening its children is enough. What is not shown is allowed.
 * @param addressOf where the full schema at a pointer can be read.
 */
export function shortView(document: ApiDocument, addressOf: (pointer: string) => string): View {
  const targets = new Map<string, Schema>()
  const open = new Set<string>()
  const show = (schema: Schema, pointer: string): Schema => {
    const ref = refOf(schema)
    if (ref !== null && !open.has(ref)) target(ref)
    const shown = mapSubschemas(schema, pointer, show)
    if (!isRecord(shown['properties'])) return shown
    const count = countMembers(shown, pointer, (name) => targets.get(name))
    return count > mostMembers ? shorten(shown, countAll(document, schema, pointer), addressOf(pointer)) : shown
  }
  const target = (ref: string): Schema => {
    const known = targets.get(ref)
    if (known) return known
    const { schema, pointer } = behind(document, ref)
    open.add(ref)
    const shown = show(schema, pointer)
    open.delete(ref)
    targets.set(ref, shown)
    return shown
  }
  return { show, target }
}

/** One step behind a reference, so that rules beside a further reference are kept. Throws when it leads to itself. */
function behind(document: ApiDocument, ref: string): Located {
  follow(document, { $ref: ref }, ref)
  return { schema: resolvePointer(document, ref) as Schema, pointer: ref }
}

function shorten(schema: Schema, count: number, address: string): Schema {
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  const properties = Object.entries(schema['properties'] as Schema).filter(([name]) => required.includes(name))
  const note = `Only required members are shown here; all ${count} are in the resource ${address}`
  const description = typeof schema['description'] === 'string' ? `${schema['description']} ${note}` : note
  return {
    ...(schema['type'] === undefined ? {} : { type: schema['type'] }),
    description,
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties), required }),
  }
}

const countAll = (document: ApiDocument, schema: Schema, pointer: string) =>
  countMembers(schema, pointer, (ref) => behind(document, ref).schema)

/** Distinct members below a schema; what several members share by reference counts once. */
function countMembers(schema: Schema, pointer: string, targetOf: (ref: string) => Schema | undefined): number {
  const members = new Set<string>()
  const seen = new Set<string>()
  const visit = (at: Schema, where: string) => {
    const ref = refOf(at)
    if (ref !== null && !seen.has(ref)) {
      seen.add(ref)
      const target = targetOf(ref)
      if (target) visit(target, ref)
    }
    if (isRecord(at['properties'])) {
      for (const name of Object.keys(at['properties'])) members.add(stepInto(where, 'properties', name))
    }
    eachSubschema(at, where, visit)
  }
  visit(schema, pointer)
  return members.size
}
