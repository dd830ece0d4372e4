import { isRecord, type Schema } from '../openapi.ts'
import { visitSubschemas, mapSubschemas, getReference } from './subschemas.ts'

/** Keywords that do not restrict values and may be next to a reference. */
const annotationKeywords = ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly']

/** The tokens that a definition must save at least, so that a list does not consist of references only. */
const minSavedTokens = 8

const definitionsPrefix = '#/$defs/'

/** The places of a subschema that recurs, with the last step of the path to each. */
interface RecurringSchema {
  readonly places: readonly Schema[]
  readonly steps: readonly string[]
}

/**
 * Moves each recurring subschema to `$defs` if that makes the text shorter. If only the descriptions differ, each place
 * keeps its own description.
 */
export function extractDefinitions(schema: Schema): Schema {
  const { $defs: statedDefinitions, ...root } = schema
  const definitions = isRecord(statedDefinitions) ? statedDefinitions : {}
  const recurring = findBestRecurring(schema)
  if (!recurring) return schema
  const name = findFreeName(chooseName(recurring), definitions)
  const definition = getCommonSchema(recurring)
  const text = JSON.stringify(removeAnnotations(definition))
  const replaceByReference = (inner: Schema): Schema => {
    const rules = removeAnnotations(inner)
    if (JSON.stringify(rules) !== text) return mapSubschemas(inner, '#', replaceByReference)
    const beside = Object.entries(inner).filter(([keyword]) => !(keyword in rules) && !(keyword in definition))
    return { $ref: definitionsPrefix + name, ...Object.fromEntries(beside) }
  }
  const others = Object.entries(definitions).map(([key, other]) => [
    key,
    isRecord(other) ? mapSubschemas(other, '#', replaceByReference) : other,
  ])
  return extractDefinitions({
    ...mapSubschemas(root, '#', replaceByReference),
    $defs: { ...Object.fromEntries(others), [name]: definition },
  })
}

/** Finds the recurring subschema whose extraction saves the most; null if none saves enough. */
function findBestRecurring(root: Schema): RecurringSchema | null {
  const parts = new Map<string, { places: Schema[]; steps: string[] }>()
  const visit = (schema: Schema, pointer: string): void => {
    visitSubschemas(schema, pointer, visit)
    const definition = pointer.startsWith(definitionsPrefix) && !pointer.slice(definitionsPrefix.length).includes('/')
    if (definition || getReference(schema) !== null) return
    const text = JSON.stringify(removeAnnotations(schema))
    const part = parts.get(text) ?? { places: [], steps: [] }
    parts.set(text, part)
    part.places.push(schema)
    part.steps.push(decodeURIComponent(pointer.slice(pointer.lastIndexOf('/') + 1)))
  }
  visitSubschemas(root, '#', visit)
  let best: RecurringSchema | null = null
  for (const part of parts.values())
    if (countSavedTokens(part) > (best ? countSavedTokens(best) : minSavedTokens - 1)) best = part
  return best
}

function countSavedTokens(part: RecurringSchema): number {
  const reference = `"$ref":"${definitionsPrefix}${chooseName(part)}"`
  const { length } = part.places
  return (length - 1) * estimateTokens(JSON.stringify(getCommonSchema(part))) - length * estimateTokens(reference)
}

/** Estimates the tokens of a text from short words and pairs of signs. */
const estimateTokens = (text: string) => text.match(/[A-Za-z]{1,7}|\d{1,3}|[^A-Za-z\d\s]{1,3}/g)?.length ?? 0

/** Returns what all places have in common, including the annotations if these are equal. */
function getCommonSchema({ places: [first = {}, ...others] }: RecurringSchema): Schema {
  const text = JSON.stringify(first)
  return others.every((other) => JSON.stringify(other) === text) ? first : removeAnnotations(first)
}

const removeAnnotations = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotationKeywords.includes(keyword)))

/** Chooses the common ending of the members' names (`logoUrl`, `websiteUrl`: `Url`), otherwise the first name. */
function chooseName({ steps }: RecurringSchema): string {
  const [first = 'part', ...others] = steps.filter((step) => /^[A-Za-z]\w*$/.test(step) && step !== 'items')
  const words = first.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? [first]
  const shared = words.map((_, index) => words.slice(index).join(''))
  return shared.find((ending) => others.every((other) => other.endsWith(ending))) ?? first
}

function findFreeName(wanted: string, takenNames: Schema): string {
  for (let turn = 1; ; turn++) {
    const name = turn === 1 ? wanted : `${wanted}${turn}`
    if (!Object.hasOwn(takenNames, name)) return name
  }
}
