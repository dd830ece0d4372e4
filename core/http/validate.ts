import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { problem, type Problem, type Violation } from '../kernel/problem.ts'
import { Type, type TSchema } from '../kernel/schema.ts'

const options = { allErrors: true, strict: true, strictTypes: false, verbose: true, unicodeRegExp: true, allowUnionTypes: true } as const
const bodies = withFormats(new Ajv({ ...options, coerceTypes: false }))
const parameters = withFormats(new Ajv({ ...options, coerceTypes: true, useDefaults: true }))

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['uuid', 'date', 'date-time', 'email', 'uri', 'ipv4', 'ipv6'])
  return ajv
}

/** Throws the problem of a value that does not satisfy its schema; otherwise returns. */
export type Judge = (value: unknown) => void

/** A validator for JSON bodies, compiled once at start. Missing members make it 400, everything else 422. */
export function bodyJudge(schema: TSchema): Judge {
  const validate = bodies.compile(schema)
  return (value) => {
    if (!validate(value)) throw bodyProblem(validate, value)
  }
}

function bodyProblem(validate: ValidateFunction, value: unknown): Problem {
  const errors = violations(validate.errors ?? [])
  const first = errors[0]
  const detail = first ? `${first.path || 'body'}: ${first.message}` : 'The body is not valid.'
  const missing = value === undefined || errors.some((error) => error.code === 'required')
  return problem(missing ? 'INVALID_REQUEST' : 'VALIDATION_FAILED', detail, { errors })
}

/** A validator for path or query parameters: text is read as the declared type; every fault is 400. */
export function parameterJudge(properties: Record<string, TSchema>): Judge {
  const validate = parameters.compile(Type.Object(properties, { additionalProperties: false }))
  return (value) => {
    if (validate(value)) return
    const errors = violations(validate.errors ?? [])
    throw problem('INVALID_REQUEST', errors[0] ? `${errors[0].path}: ${errors[0].message}` : 'A parameter is not valid.', { errors })
  }
}

const silent = new Set(['anyOf', 'oneOf', 'if', 'allOf'])

/** Every violation once, at its dotted path. The branches of `X or null` count as X: null was not meant. */
function violations(errors: readonly ErrorObject[]): Violation[] {
  const seen = new Map<string, Violation>()
  for (const error of errors) {
    if (silent.has(error.keyword) || (error.keyword === 'type' && error.params['type'] === 'null')) continue
    const violation = describe(error)
    const key = `${violation.path} ${violation.code}`
    if (!seen.has(key) && seen.size < 100) seen.set(key, violation)
  }
  if (seen.size === 0 && errors[0]) return [{ path: pathOf(errors[0].instancePath), code: 'invalid', message: 'has no allowed form' }]
  return [...seen.values()]
}

/** `/fields/parts/0/name` as `fields.parts[0].name`. */
export function pathOf(pointer: string, member?: string): string {
  const parts = pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (member !== undefined) parts.push(member)
  return parts.reduce((path, part) => /^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part, '')
}

const codes: Record<string, string> = {
  required: 'required', additionalProperties: 'unknown_member', type: 'type', enum: 'enum', const: 'enum', format: 'format',
  pattern: 'format', minimum: 'min_value', exclusiveMinimum: 'min_value', maximum: 'max_value', exclusiveMaximum: 'max_value',
  minLength: 'min_length', maxLength: 'max_length', minItems: 'min_items', maxItems: 'max_items', uniqueItems: 'unique',
  minProperties: 'min_properties', maxProperties: 'max_properties', propertyNames: 'name',
}

function describe(error: ErrorObject): Violation {
  const code = codes[error.keyword] ?? 'invalid'
  if (error.keyword === 'required') return { path: pathOf(error.instancePath, String(error.params['missingProperty'])), code, message: 'is missing' }
  if (error.keyword === 'additionalProperties') {
    return { path: pathOf(error.instancePath, String(error.params['additionalProperty']).slice(0, 100)), code, message: 'is not a member of this' }
  }
  if (error.keyword === 'enum') {
    return { path: pathOf(error.instancePath), code, message: `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}` }
  }
  return { path: pathOf(error.instancePath), code, message: error.message ?? 'is not valid' }
}
