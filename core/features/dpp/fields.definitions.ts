import type { Violation } from '../../kernel/problem.ts'
import { isName, nameFault } from '../../kernel/text/characters.ts'
import { compileField } from './fields.ts'
import { Findings, isObject } from './fields.judges.ts'
import { fieldTypes, type FieldDefinition, type FieldType } from './fields.schema.ts'
import { isStorable, readDate, type Span } from './fields.values.ts'

/** Levels that definitions may nest, and how many a sheet may have over all levels. */
const deepest = 6
export const mostDefinitions = 500
const mostVariants = 500

const reserved = new Set(['__proto__', 'constructor', 'prototype', '[]'])
const common = ['name', 'type', 'label', 'required', 'default'] as const
/** Members that a type takes beside the common ones. */
const own: Record<FieldType, readonly (keyof FieldDefinition)[]> = {
  string: ['minLength', 'maxLength'],
  text: [],
  number: ['min', 'max'],
  boolean: [],
  date: ['min', 'max'],
  url: [],
  image: [],
  enum: ['variants'],
  json: [],
  array: ['itemsType', 'minLength', 'maxLength'],
  object: ['fields'],
}

/**
 * Judges a list of definitions, nested ones too: names, members that the type does not take, bounds that contradict
 * each other, defaults of the wrong type, nesting past 6. `at` is the path of the list, as `passportsFields`.
 * Code `required` is kept for a definition without name or type.
 */
export function validateDefinitions(definitions: unknown, at: string): Violation[] {
  const findings = new Findings()
  judgeList(definitions, at, 1, findings)
  if (findings.list.length === 0 && countDefinitions(definitions as FieldDefinition[]) > mostDefinitions) {
    findings.add(at, 'too_many', `must have at most ${mostDefinitions} definitions over all levels`)
  }
  return findings.list
}

/** How many definitions there are, over all levels. */
export function countDefinitions(definitions: readonly FieldDefinition[]): number {
  return definitions.reduce((sum, { fields = [], itemsType }) =>
    sum + 1 + countDefinitions(fields) + countDefinitions(itemsType ? [itemsType] : []), 0)
}

function judgeList(definitions: unknown, at: string, depth: number, findings: Findings): void {
  if (!Array.isArray(definitions)) return findings.add(at, 'type', 'must be an array of definitions')
  const names = new Set<unknown>()
  for (const [index, definition] of definitions.entries()) {
    if (findings.full) return
    const here = `${at}[${index}]`
    if (!judgeDefinition(definition, here, depth, findings)) continue
    judgeName(definition.name, names, `${here}.name`, findings)
    names.add(definition.name)
  }
}

function judgeName(name: unknown, taken: ReadonlySet<unknown>, at: string, findings: Findings): void {
  if (name === undefined) findings.add(at, 'required', 'is required')
  else if (typeof name !== 'string' || name.length < 1 || name.length > 64) {
    findings.add(at, 'type', 'must be a string of 1 to 64 characters')
  } else if (!isStorable(name)) findings.add(at, 'format', 'must not hold NUL or half a surrogate pair')
  else if (!isName(name)) findings.add(at, 'format', nameFault)
  else if (reserved.has(name)) findings.add(at, 'reserved', 'is a reserved name')
  else if (taken.has(name)) findings.add(at, 'unique', 'is the name of another field of this list')
}

/** Judges all of a definition but its name. @returns whether it is an object, so that the name can be judged */
function judgeDefinition(
  definition: unknown, at: string, depth: number, findings: Findings,
): definition is FieldDefinition {
  if (!isObject(definition)) {
    findings.add(at, 'type', 'must be a definition')
    return false
  }
  if (depth > deepest) {
    findings.add(at, 'too_deep', `definitions nest at most ${deepest} deep`)
    return false
  }
  const before = findings.list.length
  const { type } = definition
  if (type === undefined) findings.add(`${at}.type`, 'required', 'is required')
  else if (!isFieldType(type)) findings.add(`${at}.type`, 'enum', `must be one of ${fieldTypes.join(', ')}`)
  else judgeMembers(definition as unknown as FieldDefinition, at, depth, findings)
  // A default is only judged by a definition that can judge.
  if (findings.list.length === before) judgeDefault(definition as unknown as FieldDefinition, at, findings)
  return true
}

function isFieldType(type: unknown): type is FieldType {
  return (fieldTypes as readonly unknown[]).includes(type)
}

function judgeMembers(definition: FieldDefinition, at: string, depth: number, findings: Findings): void {
  const allowed: readonly string[] = [...common, ...own[definition.type]]
  for (const name of Object.keys(definition)) {
    if (allowed.includes(name)) continue
    findings.add(`${at}.${name}`, 'unknown_member', `is no member of type ${definition.type}`)
  }
  judgeCommon(definition, at, findings)
  if (definition.type === 'string' || definition.type === 'array') judgeLengths(definition, at, findings)
  if (definition.type === 'number') judgeBounds(definition, readNumber, 'number', at, findings)
  if (definition.type === 'date') judgeBounds(definition, readDay, 'date', at, findings)
  if (definition.type === 'enum') judgeVariants(definition.variants, `${at}.variants`, findings)
  if (definition.type === 'object') judgeNested(definition, at, depth, findings)
  if (definition.type === 'array') judgeElements(definition, `${at}.itemsType`, depth, findings)
}

function judgeCommon({ label, required }: FieldDefinition, at: string, findings: Findings): void {
  if (label !== undefined && (typeof label !== 'string' || label.length > 200 || !isStorable(label))) {
    findings.add(`${at}.label`, 'type', 'must be a string of at most 200 characters')
  } else if (label !== undefined && label !== '' && !isName(label)) findings.add(`${at}.label`, 'format', nameFault)
  if (required !== undefined && typeof required !== 'boolean') {
    findings.add(`${at}.required`, 'type', 'must be true or false')
  }
}

function judgeLengths(definition: FieldDefinition, at: string, findings: Findings): void {
  const { minLength, maxLength } = definition
  for (const [name, length] of Object.entries({ minLength, maxLength })) {
    if (length !== undefined && !(Number.isSafeInteger(length) && length >= 0)) {
      return findings.add(`${at}.${name}`, 'type', 'must be a whole number from 0')
    }
  }
  if ((minLength ?? 0) > (maxLength ?? Infinity)) {
    findings.add(`${at}.minLength`, 'contradiction', 'must not exceed maxLength')
  }
}

type Read = (value: unknown) => Span | null

const readNumber: Read = (value) => Number.isFinite(value) ? { first: value as number, last: value as number } : null
const readDay: Read = (value) => typeof value === 'string' ? readDate(value) : null

function judgeBounds({ min, max }: FieldDefinition, read: Read, what: string, at: string, findings: Findings): void {
  const [least, most] = [read(min), read(max)]
  if (min !== undefined && !least) findings.add(`${at}.min`, 'type', `must be a ${what}`)
  if (max !== undefined && !most) findings.add(`${at}.max`, 'type', `must be a ${what}`)
  if (least && most && least.first > most.last) findings.add(`${at}.min`, 'contradiction', 'must not exceed max')
}

function judgeVariants(variants: unknown, at: string, findings: Findings): void {
  if (variants === undefined) return findings.add(at, 'contradiction', 'cannot be left out of an enum')
  if (!Array.isArray(variants)) return findings.add(at, 'type', 'must be an array of strings')
  if (variants.length < 1 || variants.length > mostVariants) {
    return findings.add(at, variants.length < 1 ? 'min_items' : 'max_items', `must have 1 to ${mostVariants} variants`)
  }
  const seen = new Set<unknown>()
  for (const [index, variant] of variants.entries()) {
    const here = `${at}[${index}]`
    if (typeof variant !== 'string' || !isStorable(variant)) findings.add(here, 'type', 'must be a string without NUL')
    else if (seen.has(variant)) findings.add(here, 'unique', 'is there already')
    seen.add(variant)
  }
}

function judgeNested({ fields }: FieldDefinition, at: string, depth: number, findings: Findings): void {
  if (fields === undefined) return findings.add(`${at}.fields`, 'contradiction', 'cannot be left out of an object')
  judgeList(fields, `${at}.fields`, depth + 1, findings)
}

function judgeElements({ itemsType }: FieldDefinition, at: string, depth: number, findings: Findings): void {
  if (itemsType === undefined) return findings.add(at, 'contradiction', 'cannot be left out of an array')
  if (!judgeDefinition(itemsType, at, depth + 1, findings)) return
  if (itemsType.name === undefined) findings.add(`${at}.name`, 'required', 'is required')
  else if (itemsType.name !== '[]') findings.add(`${at}.name`, 'format', 'must be [] for the elements of an array')
}

function judgeDefault(definition: FieldDefinition, at: string, findings: Findings): void {
  const standard = definition.default
  if (standard === undefined || standard === null) return
  const violations = compileField(definition)(standard, `${at}.default`)
  for (const { path, code, message } of violations) findings.add(path, code, message)
}
