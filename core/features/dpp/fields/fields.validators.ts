import { isObject } from '../../../kernel/json/values.ts'
import type { Issue } from '../../../kernel/problem.ts'
import { isHarmfulAddress } from '../../../kernel/text/addresses.ts'
import type { FieldDefinition } from './fields.schema.ts'
import { countCodePoints, isImageAddress, isPlainJson, isStorable, isWebAddress, parseDate } from './fields.values.ts'

/** The maximum nesting of a value of type `json`. */
const maxJsonDepth = 20
/** The maximum number of issues that a validation collects. */
const maxIssues = 100

/** A collector of the issues of one validation. It ignores further issues after 100. */
export class IssueCollector {
  readonly list: Issue[] = []

  get isFull(): boolean {
    return this.list.length >= maxIssues
  }

  add(path: string, code: string, message: string): void {
    if (!this.isFull) this.list.push({ path, code, message })
  }
}

export type ValueValidator = (value: unknown, at: string, issues: IssueCollector) => void

/** Returns the path of a member below `at`; an empty `at` stands for the root. */
const joinPath = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)

/** Creates a validator of an object from the definitions of its members. */
export function createMembersValidator(definitions: readonly FieldDefinition[]): ValueValidator {
  const validators = new Map(definitions.map((definition) => [definition.name, createValueValidator(definition)]))
  const required = definitions.filter((definition) => isValueRequired(definition)).map((definition) => definition.name)
  return (fields, at, issues) => {
    if (!isObject(fields)) return issues.add(at, 'type', 'must be an object')
    for (const name of Object.keys(fields)) {
      if (issues.isFull) return
      const validate = validators.get(name)
      if (!validate) issues.add(joinPath(at, name), 'unknown_member', 'is no field of the sheet')
      else if (fields[name] !== null && fields[name] !== undefined) validate(fields[name], joinPath(at, name), issues)
    }
    for (const name of required) {
      if (!Object.hasOwn(fields, name) || fields[name] === null || fields[name] === undefined) {
        issues.add(joinPath(at, name), 'required', 'is required')
      }
    }
  }
}

/** Checks whether a value has to be sent: it is required and has no default. */
export function isValueRequired({ required, default: standard }: FieldDefinition): boolean {
  return required === true && (standard === undefined || standard === null)
}

/** Creates a validator of a value that is present (never null). */
export function createValueValidator(definition: FieldDefinition): ValueValidator {
  switch (definition.type) {
    case 'string':
      return createStringValidator(definition)
    case 'text':
      return createTextValidator(() => null)
    case 'number':
      return createNumberValidator(definition)
    case 'boolean':
      return (value, at, issues) => {
        if (typeof value !== 'boolean') issues.add(at, 'type', 'must be true or false')
      }
    case 'date':
      return createDateValidator(definition)
    case 'url':
      return createTextValidator((text) => (isWebAddress(text) ? null : 'must be an absolute http or https URL'))
    case 'image':
      return createTextValidator((text) => (isImageAddress(text) ? null : 'must be an http, https or ipfs URL'))
    case 'enum':
      return createEnumValidator(definition)
    case 'json':
      return (value, at, issues) => {
        if (isPlainJson(value, maxJsonDepth)) return validateTexts(value, at, issues)
        issues.add(at, 'format', `must be JSON of at most ${maxJsonDepth} levels, without NUL`)
      }
    case 'array':
      return createArrayValidator(definition)
    case 'object':
      return createMembersValidator(definition.fields ?? [])
  }
}

const harmfulAddressMessage = 'must not be an address that runs something or opens a file'

/** Checks all texts in a JSON value for harmful addresses. */
function validateTexts(value: unknown, at: string, issues: IssueCollector): void {
  if (typeof value === 'string' && isHarmfulAddress(value)) issues.add(at, 'address', harmfulAddressMessage)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    validateTexts(member, Array.isArray(value) ? `${at}[${name}]` : joinPath(at, name), issues)
  }
}

/**
 * Creates a validator of texts that can be stored. `getFormatMessage` returns what else is wrong with a text, or null.
 */
function createTextValidator(getFormatMessage: (text: string) => string | null): ValueValidator {
  return (value, at, issues) => {
    if (typeof value !== 'string') return issues.add(at, 'type', 'must be a string')
    if (!isStorable(value)) return issues.add(at, 'format', 'must not hold NUL or half a surrogate pair')
    if (isHarmfulAddress(value)) return issues.add(at, 'address', harmfulAddressMessage)
    const message = getFormatMessage(value)
    if (message !== null) issues.add(at, 'format', message)
  }
}

function createStringValidator({ minLength = 0, maxLength = Infinity }: FieldDefinition): ValueValidator {
  const oneLine = createTextValidator((text) => (/[\n\r\v\f\u0085\u2028\u2029]/.test(text) ? 'must be one line' : null))
  const measured = minLength > 0 || maxLength < Infinity
  return (value, at, issues) => {
    oneLine(value, at, issues)
    if (!measured || typeof value !== 'string') return
    validateLength(countCodePoints(value), { what: 'length', minLength, maxLength }, at, issues)
  }
}

interface LengthLimits {
  what: 'length' | 'items'
  minLength: number
  maxLength: number
}

function validateLength(
  length: number,
  { what, minLength, maxLength }: LengthLimits,
  at: string,
  issues: IssueCollector,
): void {
  const unit = what === 'length' ? 'characters' : 'elements'
  if (length < minLength) issues.add(at, `min_${what}`, `must have at least ${minLength} ${unit}`)
  if (length > maxLength) issues.add(at, `max_${what}`, `must have at most ${maxLength} ${unit}`)
}

function createNumberValidator({ min, max }: FieldDefinition): ValueValidator {
  return (value, at, issues) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return issues.add(at, 'type', 'must be a number')
    if (typeof min === 'number' && value < min) issues.add(at, 'min_value', `must be at least ${min}`)
    if (typeof max === 'number' && value > max) issues.add(at, 'max_value', `must be at most ${max}`)
  }
}

/**
 * Creates a validator of dates. A bound without a time covers its whole day: `max: 2026-12-31` accepts every instant of
 * that day in UTC.
 */
function createDateValidator({ min, max }: FieldDefinition): ValueValidator {
  const earliest = typeof min === 'string' ? (parseDate(min)?.first ?? -Infinity) : -Infinity
  const latest = typeof max === 'string' ? (parseDate(max)?.last ?? Infinity) : Infinity
  return (value, at, issues) => {
    if (typeof value !== 'string') return issues.add(at, 'type', 'must be a string')
    const span = parseDate(value)
    if (!span) return issues.add(at, 'format', 'must be a day YYYY-MM-DD or an RFC 3339 date-time')
    if (span.first < earliest) issues.add(at, 'min_value', `must not be before ${min}`)
    if (span.first > latest) issues.add(at, 'max_value', `must not be after ${max}`)
  }
}

function createEnumValidator({ variants = [] }: FieldDefinition): ValueValidator {
  const words = new Set<unknown>(variants)
  return (value, at, issues) => {
    if (typeof value !== 'string') issues.add(at, 'type', 'must be a string')
    else if (!words.has(value)) issues.add(at, 'enum', 'must be one of the variants')
  }
}

/** Creates a validator of arrays. A null element counts as absent: it is allowed unless the elements are required. */
function createArrayValidator({ itemsType, minLength = 0, maxLength = Infinity }: FieldDefinition): ValueValidator {
  const validateItem = itemsType && createValueValidator(itemsType)
  const isItemRequired = itemsType !== undefined && isValueRequired(itemsType)
  return (value, at, issues) => {
    if (!Array.isArray(value)) return issues.add(at, 'type', 'must be an array')
    validateLength(value.length, { what: 'items', minLength, maxLength }, at, issues)
    for (let index = 0; index < value.length && !issues.isFull; index += 1) {
      const item: unknown = value[index]
      if (item !== null && item !== undefined) validateItem?.(item, `${at}[${index}]`, issues)
      else if (isItemRequired) issues.add(`${at}[${index}]`, 'required', 'is required')
    }
  }
}
