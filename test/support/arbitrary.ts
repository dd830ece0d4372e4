import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>
type Values = fc.Arbitrary<unknown>
type Tie = (name: string) => Values

const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false })
formats.default(ajv)

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const recordOf = (value: unknown): Schema => (isRecord(value) ? value : {})

/** Words that say nothing about a value. */
const silent = [
  '$defs', 'title', 'description', 'default', 'examples', 'deprecated', 'contentEncoding', '$comment', 'enumNames',
]
/** Words by the type that they speak of. */
const wordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['format', 'pattern', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'maxProperties'],
}
const known = new Set(['$ref', 'type', 'enum', 'const', 'anyOf', 'allOf', ...silent, ...Object.values(wordsOf).flat()])

/** How deep optional members go on: a definition may lead back to itself. */
const maxDepth = 4
const absent = Symbol('absent')

/**
 * Random values that fit a JSON Schema 2020-12 which stands on its own, their members in any order. Throws for a word
 * that it does not know how to keep.
 */
export function valuesOf(root: Schema): Values {
  return writerOf(recordOf(root['$defs'])).values(root)
}

const writers = new WeakMap<Schema, Writer>()

/** One for all roots that share their definitions. */
function writerOf(definitions: Schema): Writer {
  const ready = writers.get(definitions)
  if (ready) return ready
  let writer: Writer | undefined
  fc.letrec<Record<string, unknown>>((tie) => {
    const made = new Writer(definitions, tie, fc.createDepthIdentifier())
    writer = made
    return Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, made.values(schema)]))
  })
  if (!writer) throw new Error('Nothing was tied')
  writers.set(definitions, writer)
  return writer
}

/** Any text: letters of all scripts, controls, what means something in an address, halves of a surrogate pair. */
export function anyText({ minLength = 0, maxLength = Infinity }: { minLength?: number; maxLength?: number } = {}) {
  const lengths = { minLength, maxLength: Math.min(maxLength, minLength + 12) }
  const meaning = ['\ud83d', 'a', '/', '?', '#', '%2e', '..', '&', '=', '+', ' ', '[', 'ü', '"']
  const pieces = fc.array(fc.constantFrom(...meaning), lengths)
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', ...lengths }) },
    { weight: 3, arbitrary: fc.string({ unit: 'binary', ...lengths }) },
    { weight: 1, arbitrary: pieces.map((parts) => parts.join('')) },
  )
}

const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })

class Writer {
  readonly #definitions: Schema
  readonly #tie: Tie
  readonly #depth: fc.DepthIdentifier

  constructor(definitions: Schema, tie: Tie, depth: fc.DepthIdentifier) {
    this.#definitions = definitions
    this.#tie = tie
    this.#depth = depth
  }

  values(schema: unknown): Values {
    if (!isRecord(schema) || Object.keys(schema).every((word) => silent.includes(word))) return anyJson
    const strange = Object.keys(schema).filter((word) => !known.has(word))
    if (strange.length > 0) throw new Error(`No values can be made for the words ${strange.join(', ')}`)
    if (typeof schema['$ref'] === 'string') return this.#tie(nameOf(schema['$ref']))
    if ('const' in schema) return fc.constant(schema['const'])
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
    const { anyOf, allOf, ...base } = schema
    if (Array.isArray(anyOf)) {
      return fc.oneof(...anyOf.map((branch: unknown) => this.values(merged(base, recordOf(branch)))))
    }
    if (Array.isArray(allOf)) return this.values(allOf.map((part) => this.#behind(recordOf(part))).reduce(merged, base))
    const types = [schema['type'] ?? typesOf(schema)].flat() as string[]
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)))
  }

  #behind(schema: Schema): Schema {
    return typeof schema['$ref'] === 'string' ? recordOf(this.#definitions[nameOf(schema['$ref'])]) : schema
  }

  #ofType(type: string, schema: Schema): Values {
    switch (type) {
      case 'string':
        return texts(schema)
      case 'integer':
        return fc.integer(limits(schema, Number.MAX_SAFE_INTEGER, 1))
      case 'number':
        return fc.double({ ...limits(schema, 1e12, 1e-9), noNaN: true })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'array':
        return this.#arrays(schema)
      case 'object':
        return this.#objects(schema)
      default:
        throw new Error(`There is no type ${type}`)
    }
  }

  #arrays({ items, minItems = 0, maxItems = Infinity, uniqueItems }: Schema): Values {
    const lengths = { minLength: Number(minItems), maxLength: Math.min(Number(maxItems), Number(minItems) + 3) }
    const values = this.values(items)
    return uniqueItems === true
      ? fc.uniqueArray(values, { ...lengths, selector: (value) => JSON.stringify(value) })
      : fc.array(values, lengths)
  }

  #objects(schema: Schema): Values {
    const required = (schema['required'] ?? []) as readonly string[]
    const properties = recordOf(schema['properties'])
    const free = required.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, anyJson] as const)
    const optional = { nil: absent, depthIdentifier: this.#depth, maxDepth }
    const named = Object.entries(properties).map(([name, inner]) => {
      const values = this.values(inner)
      return [name, required.includes(name) ? values : fc.option(values, { ...optional, freq: 2 })] as const
    })
    const members = fc.record(Object.fromEntries([...free, ...named]))
    return fc.tuple(members, this.#others(schema, Object.keys(properties)), fc.nat(1000)).map(([own, others, turn]) => {
      const kept = Object.entries(own).filter(([, value]) => value !== absent)
      return Object.fromEntries(rotated([...Object.entries(others), ...kept], turn))
    })
  }

  /** Members that the schema does not name, where it allows some. */
  #others(schema: Schema, taken: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
    const { additionalProperties, patternProperties, propertyNames, maxProperties = Infinity } = schema
    const [pattern] = Object.entries(recordOf(patternProperties))
    if (!pattern && additionalProperties === false) return fc.constant({})
    const names = isRecord(propertyNames)
      ? this.values({ type: 'string', ...propertyNames })
      : texts({ pattern: pattern?.[0] })
    const maxKeys = Math.max(0, Math.min(2, Number(maxProperties) - taken.length))
    const named = (names as fc.Arbitrary<string>).filter((name) => !taken.includes(name))
    const values = this.values(pattern ? pattern[1] : additionalProperties)
    return fc.dictionary(named, values, { maxKeys, noNullPrototype: true })
  }
}

const nameOf = (ref: string) => decodeURIComponent(ref.replace('#/$defs/', ''))

/** The types that the words of a schema without one speak of. */
function typesOf(schema: Schema): string[] {
  const spoken = Object.keys(wordsOf).filter((type) => wordsOf[type]?.some((word) => word in schema))
  return spoken.length === 0 ? ['string'] : spoken
}

function merged(first: Schema, second: Schema): Schema {
  const properties = { ...recordOf(first['properties']), ...recordOf(second['properties']) }
  const required = [first['required'] ?? [], second['required'] ?? []].flat()
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

function limits(schema: Schema, most: number, step: number): { min: number; max: number } {
  const { minimum = -most, maximum = most, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema
  return {
    min: Math.max(Number(minimum), Number(exclusiveMinimum) + step),
    max: Math.min(Number(maximum), Number(exclusiveMaximum) - step),
  }
}

/** Some of those that a format allows. */
const formatted: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  uuid: () => fc.uuid(),
  'date-time': () => fc.integer({ min: 0, max: 4e12 }).map((time) => new Date(time).toISOString()),
  email: () => fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/),
  uri: () => fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
}

function texts({ format, pattern, minLength = 0, maxLength = Infinity }: Schema): fc.Arbitrary<string> {
  const lengths = { minLength: Number(minLength), maxLength: Number(maxLength) }
  const source = typeof format === 'string' && formatted[format]?.()
  const matching = typeof pattern === 'string' && fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 100 })
  const fits = judgeOf({
    type: 'string',
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(maxLength === Infinity ? {} : { maxLength }),
    minLength,
  })
  return (source || matching || anyText(lengths)).filter((text) => fits(text))
}

const judges = new Map<string, (text: string) => boolean>()

function judgeOf(schema: Schema): (text: string) => boolean {
  const key = JSON.stringify(schema)
  const judge = judges.get(key) ?? ajv.compile(schema)
  judges.set(key, judge)
  return judge
}

const rotated = <T>(list: readonly T[], turn: number): T[] => {
  const at = list.length === 0 ? 0 : turn % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
