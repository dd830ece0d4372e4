import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { Code } from '../kernel/codes.ts'
import { dotted } from '../kernel/dotted.ts'
import type { Violation } from '../kernel/problem.ts'
import { Type, type TSchema } from '../kernel/schema.ts'
import { isIdentifierAddress } from '../kernel/text/addresses.ts'
import { isNameFormat, nameFault, nameFormats } from '../kernel/text/characters.ts'
import { uuidText } from '../kernel/uuid.ts'
import type { Faults } from './faults.ts'

const wellFormed = formats.default.get('uri') as (text: string) => boolean
/** A URI of RFC 3986 that does nothing to whoever follows it: no script, no file, no user and password. */
const isUri = (text: string) => wellFormed(text) && isIdentifierAddress(text)

const options = { strict: true, strictTypes: false, unicodeRegExp: true, allowUnionTypes: true } as const
const judging = withFormats(new Ajv({ ...options, coerceTypes: false }))
const telling = withFormats(new Ajv({ ...options, coerceTypes: false, allErrors: true }))
const parameters = withFormats(new Ajv({ ...options, coerceTypes: false, allErrors: true, useDefaults: true }))

/** Bytes of a body up to which everything wrong is told; past it the first thing is, as a wrong body can have millions. */
const toldWhole = 128 * 1024

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['date', 'date-time', 'email', 'ipv4', 'ipv6'])
  // What only tools read judges nothing.
  ajv.addVocabulary(['x-mcp-omit'])
  for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
  return ajv.addFormat('uuid', uuidText).addFormat('uri', isUri)
}

/** Parameters that tell which part of an answer is wanted, in whatever operation. */
export const pageNames: ReadonlySet<string> = new Set(['currentPage', 'pageSize', 'cursor'])

/** Puts into `faults` what keeps a value from satisfying its schema. @param bytes how large the value was on the wire */
export type BodyJudge = (value: unknown, bytes: number, faults: Faults) => void
export type ParameterJudge = (value: unknown, faults: Faults) => void

/** A validator for JSON bodies. A missing member is INVALID_REQUEST, everything else VALIDATION_FAILED. */
export function bodyJudge(schema: TSchema): BodyJudge {
  const judge = judging.compile(schema)
  let tell: ValidateFunction | undefined
  return (value, bytes, faults) => {
    if (judge(value)) return
    if (bytes > toldWhole) return report(judge.errors, codeOf, faults)
    tell ??= telling.compile(schema)
    tell(value)
    report(tell.errors, codeOf, faults)
  }
}

const codeOf = ({ code }: Violation): Code => (code === 'required' ? 'INVALID_REQUEST' : 'VALIDATION_FAILED')

/**
 * A validator for path or query parameters: text is read as the declared type; every fault is INVALID_REQUEST, of a page
 * INVALID_PAGINATION.
 * @param open whether others are passed over
 */
export function parameterJudge(properties: Record<string, TSchema>, open = false): ParameterJudge {
  const validate = parameters.compile(Type.Object(properties, { additionalProperties: open }))
  const typed = Object.entries(properties).map(([name, schema]) => [name, (schema as { type?: string }).type] as const)
  return (value, faults) => {
    const given = value as Record<string, unknown>
    for (const [name, type] of typed) if (Object.hasOwn(given, name)) given[name] = readAs(type, given[name])
    if (!validate(value)) report(validate.errors, codeOfParameter, faults)
  }
}

const codeOfParameter = ({ path }: Violation): Code => (pageNames.has(path) ? 'INVALID_PAGINATION' : 'INVALID_REQUEST')

/** Text as the type it spells; what spells none of that type stays text, which its schema refuses. */
function readAs(type: string | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function report(errors: ValidateFunction['errors'], codeOf: (violation: Violation) => Code, faults: Faults): void {
  for (const violation of violations(errors ?? []))
    faults.add(codeOf(violation), { ...violation, path: violation.path || 'body' })
}

const silent = new Set(['anyOf', 'oneOf', 'if', 'allOf'])

/** Without the branches of unions that are for another type than the value has, where one is for its type. */
function meant(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      kept.push(error)
      continue
    }
    // What its branches found stands right before the union's own error.
    let from = kept.length
    while (isWithin(kept[from - 1], error)) from--
    const found = kept.splice(from)
    const told = found.filter(({ keyword, instancePath }) => keyword !== 'type' || instancePath !== error.instancePath)
    for (const one of told.length > 0 ? told : found) kept.push(one)
  }
  return kept
}

const isWithin = (error: ErrorObject | undefined, union: ErrorObject): boolean =>
  error !== undefined && error.schemaPath.startsWith(`${union.schemaPath}/`)
  && `${error.instancePath}/`.startsWith(`${union.instancePath}/`)

/** Every violation once, at its dotted path. The branches of `X or null` count as X: null was not meant. */
function violations(errors: readonly ErrorObject[]): Violation[] {
  const seen = new Map<string, Violation>()
  for (const error of meant(errors)) {
    if (silent.has(error.keyword) || (error.keyword === 'type' && error.params['type'] === 'null')) continue
    const violation = describe(error)
    const key = `${violation.path} ${violation.code}`
    const known = seen.get(key)
    if (known && error.keyword === 'type') known.message += ` or ${String(error.params['type'])}`
    if (!known && seen.size < 100) seen.set(key, violation)
  }
  if (seen.size === 0 && errors[0])
    return [{ path: pathOf(errors[0].instancePath), code: 'invalid', message: 'has no allowed form' }]
  return [...seen.values()]
}

function pathOf(pointer: string, ...members: string[]): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return dotted([...parts, ...members])
}

const codes: Record<string, string> = {
  required: 'required',
  additionalProperties: 'unknown_member',
  type: 'type',
  enum: 'enum',
  const: 'enum',
  format: 'format',
  pattern: 'format',
  minimum: 'min_value',
  exclusiveMinimum: 'min_value',
  maximum: 'max_value',
  exclusiveMaximum: 'max_value',
  minLength: 'min_length',
  maxLength: 'max_length',
  minItems: 'min_items',
  maxItems: 'max_items',
  uniqueItems: 'unique',
  minProperties: 'min_properties',
  maxProperties: 'max_properties',
  propertyNames: 'name',
}

function describe(error: ErrorObject): Violation {
  const code = codes[error.keyword] ?? 'invalid'
  const { instancePath, params } = error
  if (error.keyword === 'required')
    return { path: pathOf(instancePath, String(params['missingProperty'])), code, message: 'is missing' }
  if (error.keyword === 'additionalProperties') {
    return {
      path: pathOf(instancePath, String(params['additionalProperty']).slice(0, 100)),
      code,
      message: 'is not a member of this',
    }
  }
  if (isNameFormat(params['format'])) return { path: pathOf(instancePath), code, message: nameFault }
  if (error.keyword === 'enum')
    return {
      path: pathOf(instancePath),
      code,
      message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`,
    }
  return { path: pathOf(instancePath), code, message: error.message ?? 'is not valid' }
}
