import { isRecord, type Schema } from '../openapi.ts'
import { getReference } from '../catalogue/subschemas.ts'
import type { Validator } from '../catalogue/validators.ts'

/** Example values of texts; the first one that a schema takes is used. */
const textSamples = [
  'example',
  'Example',
  '0190a0e2-7c3f-7a1e-9d52-3f6a5b8c9d01',
  'https://example.com/',
  'example.com',
  'someone@example.com',
  '+491701234567',
  '2027-01-31',
  '2027-01-31T12:00:00Z',
  '#0a7d54',
  '09506000134352',
  '10',
  'EUR',
  'en',
  'DE',
  'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
  'pass.com.example',
  'ABCDE12345',
  'did:web:example.com',
  'ZXhhbXBsZQ==',
  '0x0000000000000000000000000000000000000001',
  'data.name',
]

/** The depth below which only required members are shown, and the depth at which examples end. */
const maxDepth = 6
/** The highest numbers of steps and of compiled schemas for one example: a schema that refers to itself has no end. */
const maxSteps = 2_000
const maxCompiled = 200
/** The longest text that is made up, in characters. */
const maxTextLength = 1_000
/** How many optional members an example shows where nothing else would be sent. */
const maxOptional = 1

/**
 * Creates arguments that a tool takes: the required ones, and one more where these would send nothing.
 * @param validate the validator of the tool's arguments
 * @returns null if no example could be made that is valid
 */
export function createArgumentExample(
  inputSchema: Schema,
  pathArguments: readonly string[],
  compile: (schema: Schema) => Validator,
  validate: Validator,
): Schema | null {
  const validators = new Map<Schema | string, Validator>()
  const isValid = (schema: Schema, value: unknown) => {
    // Equal references share a validator, because a compiled schema contains all that it refers to.
    const key = Object.keys(schema).length === 1 ? (getReference(schema) ?? schema) : schema
    let validator = validators.get(key)
    if (!validator && validators.size >= maxCompiled) return false
    if (!validator) validators.set(key, (validator = compile(withDefinitions(schema, inputSchema))))
    return validator(value).length === 0
  }
  let steps = 0
  const createValue = (schema: Schema, depth: number): unknown => {
    if (++steps > maxSteps) return undefined
    for (const value of listCandidates(schema, depth)) {
      if (++steps > maxSteps) return undefined
      if (isValid(schema, value)) return value
    }
    return undefined
  }
  const listCandidates = (schema: Schema, depth: number): unknown[] => {
    const target = followReference(schema, inputSchema)
    const { examples, example, const: constant, enum: choices, default: preset } = target
    const stated = [example, ...(Array.isArray(examples) ? (examples as unknown[]) : []), constant]
    const listed = Array.isArray(choices) ? (choices as unknown[]) : []
    const own = [...stated, ...listed, preset].filter((value) => value !== undefined && value !== null)
    const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((word) =>
      Array.isArray(target[word]) ? (target[word] as unknown[]).filter(isRecord) : [],
    )
    if (depth >= maxDepth) return own
    return [
      ...own,
      ...createByType(target, depth),
      ...branches.map((branch) => createValue(branch, depth + 1)).filter((value) => value !== undefined),
    ]
  }
  const createByType = (schema: Schema, depth: number): unknown[] => {
    const types = [schema['type']].flat()
    const minimum = Number(schema['minimum'] ?? 1)
    return [
      ...(types.includes('object') || isRecord(schema['properties']) ? [createObject(schema, depth)] : []),
      ...(types.includes('array') ? createArrays(schema, depth) : []),
      ...(types.includes('string') ? [...textSamples, createText(schema)] : []),
      ...(types.includes('integer') || types.includes('number') ? [minimum, 1, 10, 100] : []),
      ...(types.includes('boolean') ? [true, false] : []),
      ...(types.every((type) => type === undefined) ? ['example', {}] : []),
    ]
  }
  const createArrays = (schema: Schema, depth: number): unknown[] => {
    const item = isRecord(schema['items']) ? createValue(schema['items'], depth + 1) : 'example'
    return item === undefined ? [[]] : [[item], []]
  }
  const createObject = (schema: Schema, depth: number): Schema => {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
    return createMembers(properties, required, depth)
  }
  const createMembers = (properties: Schema, names: readonly string[], depth: number): Schema =>
    Object.fromEntries(
      names.flatMap((name) => {
        const member = properties[name]
        const value = isRecord(member) ? createValue(member, depth + 1) : undefined
        return value === undefined ? [] : [[name, name === 'filters' ? narrowFilters(value, member as Schema) : value]]
      }),
    )
  const narrowFilters = (value: unknown, schema: Schema): unknown =>
    [{ id: { eq: textSamples[2] } }, value].find((one) => isValid(schema, one))

  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {}
  const required = Array.isArray(inputSchema['required']) ? (inputSchema['required'] as string[]) : []
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const sendsNothing = required.every((name) => pathArguments.includes(name))
  const preferred = [...optional.filter((name) => name === 'filters'), ...optional.filter((name) => name !== 'filters')]
  const shown = sendsNothing ? preferred.slice(0, maxOptional) : []
  return (
    [[...required, ...shown], required]
      .map((names) => createMembers(properties, names, 0))
      .find((example) => validate(example).length === 0) ?? null
  )
}

function createText({ minLength }: Schema): string {
  return 'x'.repeat(typeof minLength === 'number' ? Math.max(1, Math.min(minLength, maxTextLength)) : 1)
}

function followReference(schema: Schema, root: Schema): Schema {
  const ref = getReference(schema)
  if (ref === null) return schema
  const definitions = isRecord(root['$defs']) ? root['$defs'] : {}
  const target = definitions[decodeURIComponent(ref.replace('#/$defs/', ''))]
  return isRecord(target) ? { ...followReference(target, root), ...schema, $ref: undefined } : schema
}

const withDefinitions = (schema: Schema, { $defs }: Schema): Schema =>
  $defs === undefined || schema['$defs'] !== undefined ? schema : { ...schema, $defs }
