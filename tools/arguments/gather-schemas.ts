import { getLastStep, type LocatedSchema, type Schema } from '../openapi.ts'
import type { SchemaView } from '../catalogue/shorten.ts'
import { visitSubschemas, mapSubschemas, getReference } from '../catalogue/subschemas.ts'

export interface GatheredSchemas {
  /** The roots in the given order; their references point only into `definitions`. */
  readonly schemas: readonly Schema[]
  /** The schemas that are used more than once or recursively, by their name after `#/$defs/`. */
  readonly definitions: Readonly<Record<string, Schema>>
}

/** Annotations next to a reference that do not change which values are valid. */
const annotationKeywords = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])

/**
 * Makes schemas self-contained: it inlines schemas that are used once, and moves those that are used more than once or
 * recursively to `$defs`.
 */
export function gatherSchemas(roots: readonly LocatedSchema[], view: SchemaView): GatheredSchemas {
  const shownRoots = roots.map(({ schema, pointer }) => view.show(schema, pointer))
  const { uses, recursive } = countReferences(shownRoots, view)
  const names = new Map<string, string>()
  const definitions: Record<string, Schema> = {}

  const nameDefinition = (ref: string): string => {
    const known = names.get(ref)
    if (known !== undefined) return known
    const name = findFreeName(getLastStep(ref), new Set(names.values()))
    names.set(ref, name)
    definitions[name] = {}
    definitions[name] = writeSchema(view.target(ref))
    return name
  }
  const writeSchema = (schema: Schema): Schema => {
    const ref = getReference(schema)
    if (ref === null) return mapSubschemas(schema, '#', writeSchema)
    const { $ref: _, ...beside } = mapSubschemas(schema, '#', writeSchema)
    if ((uses.get(ref) ?? 0) > 1 || recursive.has(ref)) return { $ref: `#/$defs/${nameDefinition(ref)}`, ...beside }
    return mergeTarget(writeSchema(view.target(ref)), beside)
  }
  return { schemas: shownRoots.map(writeSchema), definitions }
}

/** Inlines a definition in place of its reference; rules next to the reference still apply. */
function mergeTarget(target: Schema, beside: Schema): Schema {
  if (Object.keys(beside).every((keyword) => annotationKeywords.has(keyword))) return { ...target, ...beside }
  return { allOf: [target], ...beside }
}

/** Counts the uses of each reference in the output and finds the references that lead back to themselves. */
function countReferences(roots: readonly Schema[], view: SchemaView) {
  const uses = new Map<string, number>()
  const recursive = new Set<string>()
  const path: string[] = []
  const visit = (schema: Schema): void => {
    const ref = getReference(schema)
    if (ref !== null) {
      const before = uses.get(ref) ?? 0
      uses.set(ref, before + 1)
      const circle = path.indexOf(ref)
      if (circle >= 0) recursive.add(ref)
      else if (before === 0) {
        path.push(ref)
        visit(view.target(ref))
        path.pop()
      }
    }
    visitSubschemas(schema, '#', visit)
  }
  roots.forEach(visit)
  return { uses, recursive }
}

function findFreeName(wanted: string, takenNames: ReadonlySet<string>): string {
  const base = wanted.replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
  for (let turn = 1; ; turn++) {
    const name = turn === 1 ? base : `${base}_${turn}`
    if (!takenNames.has(name)) return name
  }
}
