import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Violation } from '../../kernel/problem.ts'
import { isIdentifierAddress } from '../../kernel/text/addresses.ts'
import { isNameFormat, nameFault, nameFormats } from '../../kernel/text/characters.ts'
import { uuidText } from '../../kernel/uuid.ts'

/** Bytes of a value up to which everything wrong is told; past it the first thing is, as there can be millions. */
const toldWhole = 128 * 1024
const mostTold = 100

/** @param at path of the value. @param bytes how large it is as JSON */
export type JsonJudge = (value: unknown, at: string, bytes: number | (() => number)) => Violation[]

/**
 * A judge by a JSON Schema (2020-12), compiled when it is first asked.
 * @param more codes of further keywords
 * @param isUri what `format: uri` takes; of what others have issued, whatever RFC 3986 does
 */
export function jsonJudge(schemaOf: () => object, more: Record<string, string> = {}, isUri = isSafeUri): JsonJudge {
  let judge: ValidateFunction | undefined
  let tell: ValidateFunction | undefined
  return (value, at, bytes) => {
    judge ??= compile(schemaOf(), false, isUri)
    if (judge(value)) return []
    const { errors } = judge
    if ((typeof bytes === 'number' ? bytes : bytes()) > toldWhole) return violationsOf(errors ?? [], at, more)
    tell ??= compile(schemaOf(), true, isUri)
    tell(value)
    return violationsOf(tell.errors ?? [], at, more)
  }
}

function compile(schema: object, allErrors: boolean, isUri: (text: string) => boolean): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors, unicodeRegExp: true })
  formats.default(ajv, ['date', 'date-time', 'email'])
  for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
  return ajv.addFormat('uuid', uuidText).addFormat('uri', isUri).compile(schema)
}

/** Says whether a text is a URI of RFC 3986. */
export const isUri = formats.default.get('uri') as (text: string) => boolean
/** A URI that names something and does nothing to whoever follows it. */
const isSafeUri = (text: string) => isUri(text) && isIdentifierAddress(text)

/** Every violation once, at its path. */
function violationsOf(errors: readonly ErrorObject[], at: string, more: Record<string, string>): Violation[] {
  const told = new Map<string, Violation>()
  // What keeps one element from being the one that an array has to hold says nothing of itself.
  for (const error of errors.filter(({ schemaPath }) => !schemaPath.includes('/contains/'))) {
    const violation = violationOf(error, at, more)
    const key = `${violation.path} ${violation.code}`
    if (told.size < mostTold && !told.has(key)) told.set(key, violation)
  }
  return [...told.values()]
}

const codes: Record<string, string> = {
  required: 'required', dependentRequired: 'required', additionalProperties: 'unknown_member', type: 'type', enum: 'enum',
  const: 'enum', format: 'format', pattern: 'format', minimum: 'min_value', maximum: 'max_value', minLength: 'min_length',
  maxLength: 'max_length',
}

function violationOf(
  { keyword, instancePath, params, message }: ErrorObject, at: string, more: Record<string, string>,
): Violation {
  const code = codes[keyword] ?? more[keyword] ?? 'invalid'
  const path = pathOf(at, instancePath)
  const below = (name: unknown) => pathOf(at, instancePath, String(name))
  switch (keyword) {
    case 'required':
      return { path: below(params['missingProperty']), code, message: 'is missing' }
    case 'dependentRequired':
      return { path: below(params['missingProperty']), code, message: `has to stand beside ${params['property']}` }
    case 'additionalProperties':
      return { path: below(params['additionalProperty']), code, message: 'is not a member of this' }
    case 'enum':
      return { path, code, message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}` }
    case 'const':
      return { path, code, message: `must be ${String(params['allowedValue'])}` }
    case 'contains':
      return { path, code, message: 'does not hold what it has to' }
    default:
      return { path, code, message: isNameFormat(params['format']) ? nameFault : message ?? 'is not valid' }
  }
}

/** Characters of a name in a path: it can be as long as a body. */
const longestName = 100

function pathOf(at: string, pointer: string, ...members: string[]): string {
  const parts = pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return [...parts, ...members].map((part) => part.slice(0, longestName))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`), at)
}
