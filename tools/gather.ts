import { lastStep, type Located, type Schema } from './openapi.ts'
import type { View } from './shorten.ts'
import { eachSubschema, mapSubschemas, refOf } from './subschemas.ts'

export interface Gathered {
  /** The roots, in the order given, with references into `definitions` only. */
  readonly schemas: readonly Schema[]
  /** What recurs or recurses, by the name that stands behind `#/$defs/`. */
  readonly definitions: Readonly<Record<string, Schema>>
}

/** Annotations that may stand beside a reference without changing what is allowed. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])

/** Makes schemas stand on their own: what is used once is written in place, what recurs or recurses goes to `$defs`. */
export function gather(roots: readonly Located[], view: View): Gathered {
  const shown = roots.map(({ schema, pointer }) => view.show(schema, pointer))
  const { uses, recursive } = survey(shown, view)
  const names = new Map<string, string>()
  const definitions: Record<string, Schema> = {}

  const named = (ref: string): string => {
    const known = names.get(ref)
    if (known !== undefined) return known
    const name = freeName(lastStep(ref), new Set(names.values()))
    names.set(ref, name)
    definitions[name] = {}
    definitions[name] = write(view.target(ref))
    return name
  }
  const write = (schema: Schema): Schema => {
    const ref = refOf(schema)
    if (ref === null) return mapSubschemas(schema, '#', write)
    const { $ref: _, ...beside } = mapSubschemas(schema, '#', write)
    if ((uses.get(ref) ?? 0) > 1 || recursive.has(ref)) return { $ref: `#/$defs/${named(ref)}`, ...beside }
    return merge(write(view.target(ref)), beside)
  }
  return { schemas: shown.map(write), definitions }
}

/** A definition written in place of its reference; rules that stood beside the reference still apply. */
function merge(target: Schema, beside: Schema): Schema {
  if (Object.keys(beside).every((keyword) => annotations.has(keyword))) return { ...target, ...beside }
  return { allOf: [target], ...beside }
}

/** How often each reference is used in what will be written, and which of them lead back to themselves. */
function survey(roots: readonly Schema[], view: View) {
  const uses = new Map<string, number>()
  const recursive = new Set<string>()
  const path: string[] = []
  const visit = (schema: Schema): void => {
    const ref = refOf(schema)
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
    eachSubschema(schema, '#', visit)
  }
  roots.forEach(visit)
  return { uses, recursive }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted.replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
  for (let turn = 1; ; turn++) {
    const name = turn === 1 ? base : `${base}_${turn}`
    if (!taken.has(name)) return name
  }
}
