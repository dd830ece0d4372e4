import { isRecord, type Schema } from './openapi.ts'
import { eachSubschema, mapSubschemas, refOf } from './subschemas.ts'

/** Say nothing of which values are taken, and may stand beside a reference. */
const annotations = ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly']

/** What writing a part once has to save, so that a list is not all references. */
const leastSaved = 8

const definitionsAt = '#/$defs/'

/** The places of a part that recurs, with the last step to each. */
interface Recurring {
  readonly places: readonly Schema[]
  readonly steps: readonly string[]
}

/**
 * The schema with each part that recurs written once, under `$defs`, where that is shorter. Where only descriptions
 * differ, each place keeps its own.
 */
export function define(schema: Schema): Schema {
  const { $defs: stated, ...root } = schema
  const definitions = isRecord(stated) ? stated : {}
  const found = mostWorth(schema)
  if (!found) return schema
  const name = freeName(nameOf(found), definitions)
  const definition = commonOf(found)
  const text = JSON.stringify(rulesOf(definition))
  const refer = (inner: Schema): Schema => {
    const rules = rulesOf(inner)
    if (JSON.stringify(rules) !== text) return mapSubschemas(inner, '#', refer)
    const beside = Object.entries(inner).filter(([keyword]) => !(keyword in rules) && !(keyword in definition))
    return { $ref: definitionsAt + name, ...Object.fromEntries(beside) }
  }
  const others = Object.entries(definitions).map(([key, other]) => [
    key,
    isRecord(other) ? mapSubschemas(other, '#', refer) : other,
  ])
  return define({
    ...mapSubschemas(root, '#', refer),
    $defs: { ...Object.fromEntries(others), [name]: definition },
  })
}

/** The part that it is worth the most to write once; null where none is worth it. */
function mostWorth(root: Schema): Recurring | null {
  const parts = new Map<string, { places: Schema[]; steps: string[] }>()
  const visit = (schema: Schema, pointer: string): void => {
    eachSubschema(schema, pointer, visit)
    const definition = pointer.startsWith(definitionsAt) && !pointer.slice(definitionsAt.length).includes('/')
    if (definition || refOf(schema) !== null) return
    const text = JSON.stringify(rulesOf(schema))
    const part = parts.get(text) ?? { places: [], steps: [] }
    parts.set(text, part)
    part.places.push(schema)
    part.steps.push(decodeURIComponent(pointer.slice(pointer.lastIndexOf('/') + 1)))
  }
  eachSubschema(root, '#', visit)
  let most: Recurring | null = null
  for (const part of parts.values()) if (savedBy(part) > (most ? savedBy(most) : leastSaved - 1)) most = part
  return most
}

function savedBy(part: Recurring): number {
  const reference = `"$ref":"${definitionsAt}${nameOf(part)}"`
  const { length } = part.places
  return (length - 1) * weightOf(JSON.stringify(commonOf(part))) - length * weightOf(reference)
}

/** About the tokens of a text: short words, and signs in pairs. */
const weightOf = (text: string) => text.match(/[A-Za-z]{1,7}|\d{1,3}|[^A-Za-z\d\s]{1,3}/g)?.length ?? 0

/** What all places have in common: with the annotations where these are the same, too. */
function commonOf({ places: [first = {}, ...others] }: Recurring): Schema {
  const text = JSON.stringify(first)
  return others.every((other) => JSON.stringify(other) === text) ? first : rulesOf(first)
}

const rulesOf = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotations.includes(keyword)))

/** The ending that the members it belongs to share (`logoUrl`, `websiteUrl`: `Url`), else the first of them. */
function nameOf({ steps }: Recurring): string {
  const [first = 'part', ...others] = steps.filter((step) => /^[A-Za-z]\w*$/.test(step) && step !== 'items')
  const words = first.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? [first]
  const shared = words.map((_, index) => words.slice(index).join(''))
  return shared.find((ending) => others.every((other) => other.endsWith(ending))) ?? first
}

function freeName(wanted: string, taken: Schema): string {
  for (let turn = 1; ; turn++) {
    const name = turn === 1 ? wanted : `${wanted}${turn}`
    if (!Object.hasOwn(taken, name)) return name
  }
}
