import type { Issue } from '../../../kernel/problem.ts'
import { isName, nameIssueMessage } from '../../../kernel/text/characters.ts'
import { isObject } from '../../../kernel/json/values.ts'
import { findMapIssue } from '../../../kernel/text/localized.ts'
import { createValueValidator, IssueCollector } from './fields.validators.ts'
import { fieldTypes, type FieldDefinition, type FieldType } from './fields.schema.ts'
import { isStorable, parseDate, type TimeSpan } from './fields.values.ts'

/** The maximum nesting of definitions, and their maximum number in one sheet over all levels. */
const maxDepth = 6
export const maxDefinitions = 500
const maxVariants = 500
const maxLabelLength = 200

const reservedNames = new Set(['__proto__', 'constructor', 'prototype', '[]'])
const commonMembers = ['name', 'type', 'label', 'required', 'default'] as const
/** The members that each type takes besides the common ones. */
const membersByType: Record<FieldType, readonly (keyof FieldDefinition)[]> = {
  string: ['minLength', 'maxLength'],
  text: [],
  number: ['min', 'max'],
  boolean: [],
  date: ['min', 'max'],
  url: [],
  image: [],
  enum: ['variants', 'variantLabels'],
  json: [],
  array: ['itemsType', 'minLength', 'maxLength'],
  object: ['fields'],
}

/**
 * Validates a list of definitions and those nested in it: names, members that the type does not take, bounds that
 * contradict each other, defaults of the wrong type, nesting deeper than 6. The code `required` is only used for a
 * definition without a name or type.
 * @param at the path of the list, for example `passportsFields`
 */
export function validateDefinitions(definitions: unknown, at: string): Issue[] {
  const issues = new IssueCollector()
  validateList(definitions, at, 1, issues)
  if (issues.list.length === 0 && countDefinitions(definitions as FieldDefinition[]) > maxDefinitions) {
    issues.add(at, 'too_many', `must have at most ${maxDefinitions} definitions over all levels`)
  }
  return issues.list
}

/** Counts the definitions over all levels. */
export function countDefinitions(definitions: readonly FieldDefinition[]): number {
  return definitions.reduce(
    (sum, { fields = [], itemsType }) =>
      sum + 1 + countDefinitions(fields) + countDefinitions(itemsType ? [itemsType] : []),
    0,
  )
}

function validateList(definitions: unknown, at: string, depth: number, issues: IssueCollector): void {
  if (!Array.isArray(definitions)) return issues.add(at, 'type', 'must be an array of definitions')
  const names = new Set<unknown>()
  for (const [index, definition] of definitions.entries()) {
    if (issues.isFull) return
    const here = `${at}[${index}]`
    if (!validateDefinition(definition, here, depth, issues)) continue
    validateName(definition.name, names, `${here}.name`, issues)
    names.add(definition.name)
  }
}

function validateName(name: unknown, taken: ReadonlySet<unknown>, at: string, issues: IssueCollector): void {
  if (name === undefined) issues.add(at, 'required', 'is required')
  else if (typeof name !== 'string' || name.length < 1 || name.length > 64) {
    issues.add(at, 'type', 'must be a string of 1 to 64 characters')
  } else if (!isStorable(name)) issues.add(at, 'format', 'must not hold NUL or half a surrogate pair')
  else if (!isName(name)) issues.add(at, 'format', nameIssueMessage)
  else if (reservedNames.has(name)) issues.add(at, 'reserved', 'is a reserved name')
  else if (taken.has(name)) issues.add(at, 'unique', 'is the name of another field of this list')
}

/**
 * Validates everything of a definition but its name.
 * @returns whether the definition is an object, so that its name can be validated
 */
function validateDefinition(
  definition: unknown,
  at: string,
  depth: number,
  issues: IssueCollector,
): definition is FieldDefinition {
  if (!isObject(definition)) {
    issues.add(at, 'type', 'must be a definition')
    return false
  }
  if (depth > maxDepth) {
    issues.add(at, 'too_deep', `definitions nest at most ${maxDepth} deep`)
    return false
  }
  const before = issues.list.length
  const { type } = definition
  if (type === undefined) issues.add(`${at}.type`, 'required', 'is required')
  else if (!isFieldType(type)) issues.add(`${at}.type`, 'enum', `must be one of ${fieldTypes.join(', ')}`)
  else validateMembers(definition as unknown as FieldDefinition, at, depth, issues)
  // A default is only validated against a definition that has no issues itself.
  if (issues.list.length === before) validateDefault(definition as unknown as FieldDefinition, at, issues)
  return true
}

function isFieldType(type: unknown): type is FieldType {
  return (fieldTypes as readonly unknown[]).includes(type)
}

function validateMembers(definition: FieldDefinition, at: string, depth: number, issues: IssueCollector): void {
  const allowed: readonly string[] = [...commonMembers, ...membersByType[definition.type]]
  for (const name of Object.keys(definition)) {
    if (allowed.includes(name)) continue
    issues.add(`${at}.${name}`, 'unknown_member', `is no member of type ${definition.type}`)
  }
  validateCommonMembers(definition, at, issues)
  if (definition.type === 'string' || definition.type === 'array') validateLengths(definition, at, issues)
  if (definition.type === 'number') validateBounds(definition, parseNumberBound, 'number', at, issues)
  if (definition.type === 'date') validateBounds(definition, parseDateBound, 'date', at, issues)
  if (definition.type === 'enum') validateVariants(definition.variants, `${at}.variants`, issues)
  if (definition.type === 'enum' && Array.isArray(definition.variants ?? []))
    validateVariantLabels(definition, `${at}.variantLabels`, issues)
  if (definition.type === 'object') validateNestedFields(definition, at, depth, issues)
  if (definition.type === 'array') validateElements(definition, `${at}.itemsType`, depth, issues)
}

function validateCommonMembers({ label, required }: FieldDefinition, at: string, issues: IssueCollector): void {
  validateLabel(label, `${at}.label`, issues)
  if (required !== undefined && typeof required !== 'boolean') {
    issues.add(`${at}.required`, 'type', 'must be true or false')
  }
}

/** Validates a name for people: a text, or a text for each language. An empty one stands for none. */
function validateLabel(label: unknown, at: string, issues: IssueCollector): void {
  if (label === undefined || label === '') return
  if (isObject(label)) return validateLanguages(label, at, issues)
  if (typeof label !== 'string' || label.length > maxLabelLength || !isStorable(label))
    return issues.add(at, 'type', `must be a string of at most ${maxLabelLength} characters, or one for each language`)
  if (!isName(label)) issues.add(at, 'format', nameIssueMessage)
}

const isLabel = (text: unknown): boolean =>
  typeof text === 'string' && text.length <= maxLabelLength && isStorable(text) && isName(text)

function validateLanguages(label: object, at: string, issues: IssueCollector): void {
  const issue = findMapIssue(label, isLabel)
  if (issue?.kind === 'empty') issues.add(at, 'min_items', 'must have at least one language')
  if (issue?.kind === 'many') issues.add(at, 'max_items', 'has too many languages')
  if (issue?.kind === 'tag')
    issues.add(`${at}.${issue.tag.slice(0, 100)}`, 'format', 'is no tag of a language, such as fr or pt-BR (BCP 47)')
  if (issue?.kind === 'text')
    issues.add(`${at}.${issue.tag}`, 'format', `must be a name of at most ${maxLabelLength} characters`)
}

/** Validates the names for people of an enum's words. */
function validateVariantLabels({ variants = [], variantLabels }: FieldDefinition, at: string, issues: IssueCollector) {
  if (variantLabels === undefined) return
  if (!isObject(variantLabels)) return issues.add(at, 'type', 'must be an object of names by their words')
  for (const [word, label] of Object.entries(variantLabels)) {
    const here = `${at}.${word.slice(0, 100)}`
    if (!variants.includes(word)) issues.add(here, 'unknown_member', 'is none of the variants')
    else validateLabel(label, here, issues)
  }
}

function validateLengths(definition: FieldDefinition, at: string, issues: IssueCollector): void {
  const { minLength, maxLength } = definition
  for (const [name, length] of Object.entries({ minLength, maxLength })) {
    if (length !== undefined && !(Number.isSafeInteger(length) && length >= 0)) {
      return issues.add(`${at}.${name}`, 'type', 'must be a whole number from 0')
    }
  }
  if ((minLength ?? 0) > (maxLength ?? Infinity)) {
    issues.add(`${at}.minLength`, 'contradiction', 'must not exceed maxLength')
  }
}

type BoundParser = (value: unknown) => TimeSpan | null

const parseNumberBound: BoundParser = (value) =>
  Number.isFinite(value) ? { first: value as number, last: value as number } : null
const parseDateBound: BoundParser = (value) => (typeof value === 'string' ? parseDate(value) : null)

function validateBounds(
  { min, max }: FieldDefinition,
  read: BoundParser,
  what: string,
  at: string,
  issues: IssueCollector,
): void {
  const [lower, upper] = [read(min), read(max)]
  if (min !== undefined && !lower) issues.add(`${at}.min`, 'type', `must be a ${what}`)
  if (max !== undefined && !upper) issues.add(`${at}.max`, 'type', `must be a ${what}`)
  if (lower && upper && lower.first > upper.last) issues.add(`${at}.min`, 'contradiction', 'must not exceed max')
}

function validateVariants(variants: unknown, at: string, issues: IssueCollector): void {
  if (variants === undefined) return issues.add(at, 'contradiction', 'cannot be left out of an enum')
  if (!Array.isArray(variants)) return issues.add(at, 'type', 'must be an array of strings')
  if (variants.length < 1 || variants.length > maxVariants) {
    return issues.add(at, variants.length < 1 ? 'min_items' : 'max_items', `must have 1 to ${maxVariants} variants`)
  }
  const seen = new Set<unknown>()
  for (const [index, variant] of variants.entries()) {
    const here = `${at}[${index}]`
    if (typeof variant !== 'string' || !isStorable(variant)) issues.add(here, 'type', 'must be a string without NUL')
    else if (seen.has(variant)) issues.add(here, 'unique', 'is there already')
    seen.add(variant)
  }
}

function validateNestedFields({ fields }: FieldDefinition, at: string, depth: number, issues: IssueCollector): void {
  if (fields === undefined) return issues.add(`${at}.fields`, 'contradiction', 'cannot be left out of an object')
  validateList(fields, `${at}.fields`, depth + 1, issues)
}

function validateElements({ itemsType }: FieldDefinition, at: string, depth: number, issues: IssueCollector): void {
  if (itemsType === undefined) return issues.add(at, 'contradiction', 'cannot be left out of an array')
  if (!validateDefinition(itemsType, at, depth + 1, issues)) return
  if (itemsType.name === undefined) issues.add(`${at}.name`, 'required', 'is required')
  else if (itemsType.name !== '[]') issues.add(`${at}.name`, 'format', 'must be [] for the elements of an array')
}

function validateDefault(definition: FieldDefinition, at: string, issues: IssueCollector): void {
  const defaultValue = definition.default
  if (defaultValue === undefined || defaultValue === null) return
  createValueValidator(definition)(defaultValue, `${at}.default`, issues)
}
