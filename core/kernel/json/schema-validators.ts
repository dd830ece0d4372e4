import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Issue } from '../problem.ts'
import { isIdentifierAddress } from '../text/addresses.ts'
import { isNameFormat, nameIssueMessage, nameFormats } from '../text/characters.ts'
import { uuidPattern } from '../text/uuid.ts'

/**
 * The maximum size, in bytes, of a value whose issues are all reported. For a larger value only the first issue is
 * reported, because there can be millions.
 */
const maxFullReportBytes = 128 * 1024
const maxIssues = 100

/**
 * A function that validates a value against a JSON Schema.
 * @param at the path of the value
 * @param bytes the size of the value as JSON, or a function that returns it
 */
export type JsonValidator = (value: unknown, at: string, bytes: number | (() => number)) => Issue[]

/**
 * Creates a validator from a JSON Schema (2020-12). The schema is compiled at the first use.
 * @param more issue codes for further keywords
 * @param isUri what `format: uri` accepts: by default URIs that are safe to follow; for what others have issued, every
 * URI of RFC 3986
 */
export function createJsonValidator(
  getSchema: () => object,
  more: Record<string, string> = {},
  isUri = isSafeUri,
): JsonValidator {
  let validateFirst: ValidateFunction | undefined
  let validateAll: ValidateFunction | undefined
  return (value, at, bytes) => {
    validateFirst ??= compileSchema(getSchema(), false, isUri)
    if (validateFirst(value)) return []
    const { errors } = validateFirst
    if ((typeof bytes === 'number' ? bytes : bytes()) > maxFullReportBytes) return toIssues(errors ?? [], at, more)
    validateAll ??= compileSchema(getSchema(), true, isUri)
    validateAll(value)
    return toIssues(validateAll.errors ?? [], at, more)
  }
}

function compileSchema(schema: object, allErrors: boolean, isUri: (text: string) => boolean): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors, unicodeRegExp: true })
  formats.default(ajv, ['date', 'date-time', 'email'])
  for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
  return ajv.addFormat('uuid', uuidPattern).addFormat('uri', isUri).compile(schema)
}

const instantFormat = formats.default.get('date-time') as { validate(text: string): boolean }
/** Checks whether a text is an instant with its offset that a date can hold. Source: RFC 3339. */
export const isInstant = (text: string): boolean => instantFormat.validate(text) && !Number.isNaN(Date.parse(text))

/** Checks whether a text is a URI of RFC 3986. */
export const isUri = formats.default.get('uri') as (text: string) => boolean
/** Checks whether a text is a URI that only identifies something and does nothing to those who follow it. */
const isSafeUri = (text: string) => isUri(text) && isIdentifierAddress(text)

/** Converts errors of the schema validator to issues, each issue once. */
function toIssues(errors: readonly ErrorObject[], at: string, more: Record<string, string>): Issue[] {
  const issuesByKey = new Map<string, Issue>()
  // Errors below `contains` are left out: they only say why one element is not the required one, which is no fault of
  // the element.
  for (const error of errors.filter(({ schemaPath }) => !schemaPath.includes('/contains/'))) {
    const issue = toIssue(error, at, more)
    const key = `${issue.path} ${issue.code}`
    if (issuesByKey.size < maxIssues && !issuesByKey.has(key)) issuesByKey.set(key, issue)
  }
  return [...issuesByKey.values()]
}

const codes: Record<string, string> = {
  required: 'required',
  dependentRequired: 'required',
  additionalProperties: 'unknown_member',
  type: 'type',
  enum: 'enum',
  const: 'enum',
  format: 'format',
  pattern: 'format',
  minimum: 'min_value',
  maximum: 'max_value',
  minLength: 'min_length',
  maxLength: 'max_length',
}

function toIssue(
  { keyword, instancePath, params, message }: ErrorObject,
  at: string,
  more: Record<string, string>,
): Issue {
  const code = codes[keyword] ?? more[keyword] ?? 'invalid'
  const path = formatPath(at, instancePath)
  const below = (name: unknown) => formatPath(at, instancePath, String(name))
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
      return { path, code, message: isNameFormat(params['format']) ? nameIssueMessage : (message ?? 'is not valid') }
  }
}

/** The maximum length of a name in a path. Without a limit, a name could be as long as a request body. */
const maxNameLength = 100

function formatPath(at: string, pointer: string, ...members: string[]): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return [...parts, ...members]
    .map((part) => part.slice(0, maxNameLength))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`), at)
}
