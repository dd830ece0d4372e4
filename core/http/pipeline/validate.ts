import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { ProblemCode } from '../../kernel/problem-codes.ts'
import { formatDottedPath } from '../../kernel/json/dotted-path.ts'
import type { Issue } from '../../kernel/problem.ts'
import { Type, type TSchema } from '../../kernel/schema.ts'
import { isIdentifierAddress } from '../../kernel/text/addresses.ts'
import { isNameFormat, nameIssueMessage, nameFormats } from '../../kernel/text/characters.ts'
import { uuidPattern } from '../../kernel/text/uuid.ts'
import type { IssueCollector } from '../problems/issue-collector.ts'

const isWellFormedUri = formats.default.get('uri') as (text: string) => boolean
/** Checks whether a text is a URI of RFC 3986 that is safe to follow: no script, no file, no user and password. */
const isUri = (text: string) => isWellFormedUri(text) && isIdentifierAddress(text)

const isRfc3339Instant = formats.default.get('date-time') as { validate(text: string): boolean }
/** A leap second is an instant of RFC 3339, but none of a JavaScript date: it could not be stored as it was sent. */
const isInstant = (text: string) => isRfc3339Instant.validate(text) && !Number.isNaN(Date.parse(text))

/**
 * The schemas are our own, and a test holds them to the meta-schema. To compile that and to check every schema against it
 * would take a tenth of the start of a process.
 */
const ajvOptions = {
  strict: true,
  strictTypes: false,
  unicodeRegExp: true,
  validateSchema: false,
} as const
const firstErrorAjv = withFormats(new Ajv({ ...ajvOptions, coerceTypes: false }))
const allErrorsAjv = withFormats(new Ajv({ ...ajvOptions, coerceTypes: false, allErrors: true }))
const parametersAjv = withFormats(new Ajv({ ...ajvOptions, coerceTypes: false, allErrors: true, useDefaults: true }))

/**
 * Maximum size in bytes of a body for which all issues are listed. For a larger one only the first issue is listed,
 * because an invalid body can have millions.
 */
const maxFullyReportedBytes = 128 * 1024

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['date', 'email', 'ipv4', 'ipv6'])
  ajv.addFormat('date-time', isInstant)
  // These keywords are only for tools and validate nothing.
  ajv.addVocabulary(['x-mcp-omit', 'x-mcp-resource', 'x-mcp-secret', 'x-mcp-short'])
  for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
  return ajv.addFormat('uuid', uuidPattern).addFormat('uri', isUri)
}

/** Query parameters that select a page of an answer, in all operations. */
export const pageParameterNames: ReadonlySet<string> = new Set(['currentPage', 'pageSize', 'cursor'])

/**
 * A function that validates a body against its schema and adds to `issues` what is wrong.
 * @param bytes size of the body in the request
 */
export type BodyValidator = (body: unknown, bytes: number, issues: IssueCollector) => void
export type ParameterValidator = (value: unknown, issues: IssueCollector) => void

/** Creates a validator for JSON bodies. A missing member is INVALID_REQUEST, everything else VALIDATION_FAILED. */
export function createBodyValidator(schema: TSchema): BodyValidator {
  const validateQuickly = firstErrorAjv.compile(schema)
  let validateFully: ValidateFunction | undefined
  return (body, bytes, issues) => {
    if (validateQuickly(body)) return
    if (bytes > maxFullyReportedBytes) return addIssues(validateQuickly.errors, getBodyCode, issues)
    validateFully ??= allErrorsAjv.compile(schema)
    validateFully(body)
    addIssues(validateFully.errors, getBodyCode, issues)
  }
}

const getBodyCode = ({ code }: Issue): ProblemCode => (code === 'required' ? 'INVALID_REQUEST' : 'VALIDATION_FAILED')

/**
 * Creates a validator for path or query parameters, which also converts text to the declared type. Every issue is
 * INVALID_REQUEST; an issue of a page parameter is INVALID_PAGINATION.
 * @param allowsOthers whether unknown parameters are ignored
 */
export function createParameterValidator(
  properties: Record<string, TSchema>,
  allowsOthers = false,
): ParameterValidator {
  const validate = parametersAjv.compile(Type.Object(properties, { additionalProperties: allowsOthers }))
  const parameterTypes = Object.entries(properties).map(
    ([name, schema]) => [name, (schema as { type?: string }).type] as const,
  )
  return (value, issues) => {
    const values = value as Record<string, unknown>
    for (const [name, type] of parameterTypes)
      if (Object.hasOwn(values, name)) values[name] = parseAsType(type, values[name])
    if (!validate(value)) addIssues(validate.errors, getParameterCode, issues)
  }
}

const getParameterCode = ({ path }: Issue): ProblemCode =>
  pageParameterNames.has(path) ? 'INVALID_PAGINATION' : 'INVALID_REQUEST'

/**
 * Converts text to the declared type. Text that does not spell a value of the type stays text, which the schema
 * rejects.
 */
function parseAsType(type: string | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function addIssues(
  errors: ValidateFunction['errors'],
  getCode: (issue: Issue) => ProblemCode,
  collector: IssueCollector,
): void {
  for (const issue of toIssues(errors ?? [])) collector.add(getCode(issue), { ...issue, path: issue.path || 'body' })
}

/** Keywords whose errors only say that an error stands elsewhere. */
const ignoredKeywords = new Set(['oneOf', 'if'])

/** Removes the type errors of union branches that do not fit the value's type, if another branch fits it. */
function selectMeantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const meantErrors: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      meantErrors.push(error)
      continue
    }
    // The errors of the branches stand right before the error of their union.
    let from = meantErrors.length
    while (isWithin(meantErrors[from - 1], error)) from--
    const found = meantErrors.splice(from)
    const ownErrors = found.filter(
      ({ keyword, instancePath }) => keyword !== 'type' || instancePath !== error.instancePath,
    )
    for (const one of ownErrors.length > 0 ? ownErrors : found) meantErrors.push(one)
  }
  return meantErrors
}

const isWithin = (error: ErrorObject | undefined, union: ErrorObject): boolean =>
  error !== undefined
  && error.schemaPath.startsWith(`${union.schemaPath}/`)
  && `${error.instancePath}/`.startsWith(`${union.instancePath}/`)

/** Converts errors to issues, each once, with its dotted path. For `X or null` only the issues of X are listed. */
function toIssues(errors: readonly ErrorObject[]): Issue[] {
  const seen = new Map<string, Issue>()
  for (const error of selectMeantErrors(errors)) {
    if (ignoredKeywords.has(error.keyword) || (error.keyword === 'type' && error.params['type'] === 'null')) continue
    const issue = toIssue(error)
    const key = `${issue.path} ${issue.code}`
    const known = seen.get(key)
    if (known && error.keyword === 'type') known.message += ` or ${String(error.params['type'])}`
    if (!known && seen.size < 100) seen.set(key, issue)
  }
  if (seen.size === 0 && errors[0])
    return [{ path: formatPointer(errors[0].instancePath), code: 'invalid', message: 'has no allowed form' }]
  return [...seen.values()]
}

function formatPointer(pointer: string, ...members: string[]): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return formatDottedPath([...parts, ...members])
}

const codesByKeyword: Record<string, string> = {
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

function toIssue(error: ErrorObject): Issue {
  const code = codesByKeyword[error.keyword] ?? 'invalid'
  const { instancePath, params } = error
  if (error.keyword === 'required')
    return { path: formatPointer(instancePath, String(params['missingProperty'])), code, message: 'is missing' }
  if (error.keyword === 'additionalProperties') {
    return {
      path: formatPointer(instancePath, String(params['additionalProperty'])),
      code,
      message: 'is not a member of this',
    }
  }
  if (isNameFormat(params['format'])) return { path: formatPointer(instancePath), code, message: nameIssueMessage }
  if (error.keyword === 'enum')
    return {
      path: formatPointer(instancePath),
      code,
      message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`,
    }
  return { path: formatPointer(instancePath), code, message: error.message ?? 'is not valid' }
}
