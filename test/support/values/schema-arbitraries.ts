import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>
type ValueArbitrary = fc.Arbitrary<unknown>
type TieFunction = (name: string) => ValueArbitrary

const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false })
formats.default(ajv)

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const toRecord = (value: unknown): Schema => (isRecord(value) ? value : {})

/** Keywords that do not restrict values. */
const ignoredKeywords = [
  '$defs',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'contentEncoding',
  '$comment',
  'enumNames',
  'x-mcp-resource',
  'x-mcp-secret',
  'x-mcp-short',
]
/** The keywords that apply to each type. */
const keywordsByType: Readonly<Record<string, readonly string[]>> = {
  string: ['format', 'pattern', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  array: ['items', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'maxProperties',
    'dependentRequired',
  ],
}
const knownKeywords = new Set([
  '$ref',
  'type',
  'enum',
  'const',
  'anyOf',
  'allOf',
  ...ignoredKeywords,
  ...Object.values(keywordsByType).flat(),
])

/** The depth to which optional members are created, because a definition may refer to itself. */
const maxDepth = 4
const absentMember = Symbol('absent')

/**
 * Creates random values that are valid by a self-contained JSON Schema 2020-12, with their members in any order.
 * @throws Error for a keyword that it does not support
 */
export function createValueArbitrary(root: Schema): ValueArbitrary {
  return getArbitraryFactory(toRecord(root['$defs'])).createArbitrary(root)
}

const arbitraryFactories = new WeakMap<Schema, ArbitraryFactory>()

/** Returns the factory that all roots with the same definitions share. */
function getArbitraryFactory(definitions: Schema): ArbitraryFactory {
  const existingFactory = arbitraryFactories.get(definitions)
  if (existingFactory) return existingFactory
  let createdFactory: ArbitraryFactory | undefined
  fc.letrec<Record<string, unknown>>((tie) => {
    const newFactory = new ArbitraryFactory(definitions, tie, fc.createDepthIdentifier())
    createdFactory = newFactory
    return Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [name, newFactory.createArbitrary(schema)]),
    )
  })
  if (!createdFactory) throw new Error('Nothing was tied')
  arbitraryFactories.set(definitions, createdFactory)
  return createdFactory
}

/**
 * Creates any text: letters of all scripts, control characters, special characters of addresses, halves of surrogate
 * pairs.
 */
export function createAnyTextArbitrary({
  minLength = 0,
  maxLength = Infinity,
}: { minLength?: number; maxLength?: number } = {}) {
  const lengths = { minLength, maxLength: Math.min(maxLength, minLength + 12) }
  const specialCharacters = ['\ud83d', 'a', '/', '?', '#', '%2e', '..', '&', '=', '+', ' ', '[', 'ü', '"']
  const pieces = fc.array(fc.constantFrom(...specialCharacters), lengths)
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', ...lengths }) },
    { weight: 3, arbitrary: fc.string({ unit: 'binary', ...lengths }) },
    { weight: 1, arbitrary: pieces.map((parts) => parts.join('')) },
  )
}

const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })

class ArbitraryFactory {
  readonly #definitions: Schema
  readonly #tie: TieFunction
  readonly #depth: fc.DepthIdentifier

  constructor(definitions: Schema, tie: TieFunction, depth: fc.DepthIdentifier) {
    this.#definitions = definitions
    this.#tie = tie
    this.#depth = depth
  }

  createArbitrary(schema: unknown): ValueArbitrary {
    if (!isRecord(schema) || Object.keys(schema).every((word) => ignoredKeywords.includes(word))) return anyJson
    const unknownKeywords = Object.keys(schema).filter((word) => !knownKeywords.has(word))
    if (unknownKeywords.length > 0) throw new Error(`No values can be made for the words ${unknownKeywords.join(', ')}`)
    if (typeof schema['$ref'] === 'string') return this.#tie(parseDefinitionName(schema['$ref']))
    if ('const' in schema) return fc.constant(schema['const'])
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
    const { anyOf, allOf, ...base } = schema
    if (Array.isArray(anyOf)) {
      return fc.oneof(...anyOf.map((branch: unknown) => this.createArbitrary(mergeSchemas(base, toRecord(branch)))))
    }
    if (Array.isArray(allOf))
      return this.createArbitrary(allOf.map((part) => this.#behind(toRecord(part))).reduce(mergeSchemas, base))
    const types = [schema['type'] ?? inferTypes(schema)].flat() as string[]
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)))
  }

  #behind(schema: Schema): Schema {
    return typeof schema['$ref'] === 'string'
      ? toRecord(this.#definitions[parseDefinitionName(schema['$ref'])])
      : schema
  }

  #ofType(type: string, schema: Schema): ValueArbitrary {
    switch (type) {
      case 'string':
        return createStringArbitrary(schema)
      case 'integer':
        return fc.integer(getNumberLimits(schema, Number.MAX_SAFE_INTEGER, 1))
      case 'number':
        return fc.double({ ...getNumberLimits(schema, 1e12, 1e-9), noNaN: true })
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

  #arrays({ contains, items, minItems = 0, maxItems = Infinity, uniqueItems }: Schema): ValueArbitrary {
    const lengths = { minLength: Number(minItems), maxLength: Math.min(Number(maxItems), Number(minItems) + 3) }
    const values = this.createArbitrary(items)
    if (contains !== undefined)
      return fc
        .tuple(this.createArbitrary(contains), fc.array(values, lengths))
        .map(([one, others]) => [one, ...others])
    return uniqueItems === true
      ? fc.uniqueArray(values, { ...lengths, selector: (value) => JSON.stringify(value) })
      : fc.array(values, lengths)
  }

  #objects(schema: Schema): ValueArbitrary {
    const required = (schema['required'] ?? []) as readonly string[]
    const properties = toRecord(schema['properties'])
    const needed = toRecord(schema['dependentRequired']) as Record<string, readonly string[]>
    const unnamedRequired = required
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) => [name, anyJson] as const)
    const optional = { nil: absentMember, depthIdentifier: this.#depth, maxDepth }
    const named = Object.entries(properties).map(([name, inner]) => {
      const values = this.createArbitrary(inner)
      return [name, required.includes(name) ? values : fc.option(values, { ...optional, freq: 2 })] as const
    })
    const members = fc.record(Object.fromEntries([...unnamedRequired, ...named]))
    return fc.tuple(members, this.#others(schema, Object.keys(properties)), fc.nat(1000)).map(([own, others, turn]) => {
      const isNeeded = (name: string) => own[name] !== absentMember
      const kept = Object.entries(own).filter(
        ([name, value]) => value !== absentMember && (needed[name] ?? []).every(isNeeded),
      )
      return Object.fromEntries(rotateList([...Object.entries(others), ...kept], turn))
    })
  }

  /** Creates additional members if the schema allows them. */
  #others(schema: Schema, taken: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
    const { additionalProperties, patternProperties, propertyNames, maxProperties = Infinity } = schema
    const [pattern] = Object.entries(toRecord(patternProperties))
    if (!pattern && additionalProperties === false) return fc.constant({})
    const names = isRecord(propertyNames)
      ? this.createArbitrary({ type: 'string', ...propertyNames })
      : createStringArbitrary({ pattern: pattern?.[0] })
    const maxKeys = Math.max(0, Math.min(2, Number(maxProperties) - taken.length))
    const named = (names as fc.Arbitrary<string>).filter((name) => !taken.includes(name))
    const values = this.createArbitrary(pattern ? pattern[1] : additionalProperties)
    return fc.dictionary(named, values, { maxKeys, noNullPrototype: true })
  }
}

const parseDefinitionName = (ref: string) => decodeURIComponent(ref.replace('#/$defs/', ''))

/** Infers the types of a schema without a type from its keywords. */
function inferTypes(schema: Schema): string[] {
  const matchingTypes = Object.keys(keywordsByType).filter((type) =>
    keywordsByType[type]?.some((word) => word in schema),
  )
  return matchingTypes.length === 0 ? ['string'] : matchingTypes
}

function mergeSchemas(first: Schema, second: Schema): Schema {
  const properties = { ...toRecord(first['properties']), ...toRecord(second['properties']) }
  const required = [first['required'] ?? [], second['required'] ?? []].flat()
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

function getNumberLimits(schema: Schema, maxMagnitude: number, step: number): { min: number; max: number } {
  const {
    minimum = -maxMagnitude,
    maximum = maxMagnitude,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  } = schema
  return {
    min: Math.max(Number(minimum), Number(exclusiveMinimum) + step),
    max: Math.min(Number(maximum), Number(exclusiveMaximum) - step),
  }
}

/** Arbitraries for some valid texts of each format. */
const arbitrariesByFormat: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  uuid: () => fc.uuid(),
  date: () => fc.integer({ min: 0, max: 4e12 }).map((time) => new Date(time).toISOString().slice(0, 10)),
  'date-time': () => fc.integer({ min: 0, max: 4e12 }).map((time) => new Date(time).toISOString()),
  email: () => fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/),
  uri: () => fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
}

function createStringArbitrary({ format, pattern, minLength = 0, maxLength = Infinity }: Schema): fc.Arbitrary<string> {
  const lengths = { minLength: Number(minLength), maxLength: Number(maxLength) }
  const source = typeof format === 'string' && arbitrariesByFormat[format]?.()
  // Random texts would hardly ever be valid, and the search for one would not end.
  if (typeof format === 'string' && !source && pattern === undefined && ajv.formats[format] !== undefined)
    throw new Error(`No values can be made for the format ${format}`)
  const matching = typeof pattern === 'string' && fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 100 })
  const isValidText = getTextValidator({
    type: 'string',
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(maxLength === Infinity ? {} : { maxLength }),
    minLength,
  })
  return (source || matching || createAnyTextArbitrary(lengths)).filter((text) => isValidText(text))
}

const textValidators = new Map<string, (text: string) => boolean>()

function getTextValidator(schema: Schema): (text: string) => boolean {
  const key = JSON.stringify(schema)
  const textValidator = textValidators.get(key) ?? ajv.compile(schema)
  textValidators.set(key, textValidator)
  return textValidator
}

const rotateList = <T>(list: readonly T[], listOffset: number): T[] => {
  const at = list.length === 0 ? 0 : listOffset % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
