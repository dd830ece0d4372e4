import type { Issue } from '../../../kernel/problem.ts'
import { isObject } from '../../../kernel/json/values.ts'
import { createRecentCache } from '../../../kernel/process/recent-cache.ts'
import { IssueCollector, createMembersValidator } from './fields.validators.ts'
import type { FieldDefinition } from './fields.schema.ts'

/**
 * A function that validates fields against the definitions that it was compiled from. `at` is the path of the fields,
 * for example `fields` or `[3]`.
 */
export type FieldsValidator = (fields: unknown, at: string) => Issue[]

/**
 * Compiles a reusable validator from a list of definitions. The definitions have to be valid (`validateDefinitions`).
 * The validator reports at most 100 issues. An unknown key is an issue. `null` counts as absent. An absent required
 * value is an issue unless its definition has a default.
 */
export function compileFields(definitions: readonly FieldDefinition[]): FieldsValidator {
  const validateFields = createMembersValidator(definitions)
  return (fields, at) => {
    const issues = new IssueCollector()
    validateFields(fields, at, issues)
    return issues.list
  }
}

/**
 * The parts of a sheet that decide which values are valid; its version changes with every change of the definitions.
 */
export interface SheetFields {
  readonly id: string
  readonly schemaVersion: number
  readonly productFields: readonly FieldDefinition[]
  readonly passportsFields: readonly FieldDefinition[]
}

/** The maximum number of validators that this process caches. */
const maxValidators = 1_000
const validatorCache = createRecentCache<FieldsValidator>(maxValidators)

/**
 * Returns the validator of a sheet's own fields or of the fields of its passports. It is compiled once for each version
 * of the definitions.
 */
export function getSheetValidator(sheet: SheetFields, which: 'productFields' | 'passportsFields'): FieldsValidator {
  const key = `${sheet.id}:${sheet.schemaVersion}:${which}`
  const known = validatorCache.get(key)
  if (known) return known
  const validator = compileFields(sheet[which])
  validatorCache.set(key, validator)
  return validator
}

/**
 * Validates the fields of a passport against its sheet.
 * @param at the path of the fields, for example `fields` or `[3]`
 */
export const validateSheetValues = (sheet: SheetFields, fields: Record<string, unknown>, at: string): Issue[] =>
  getSheetValidator(sheet, 'passportsFields')(fields, at)

/**
 * Applies defaults to fields before they are stored, also inside objects and arrays: an absent value (or `null`) takes
 * the default of its definition or is left out. The fields have to be valid. Only code that writes fields calls this,
 * never code that reads them.
 */
export function applyDefaults(
  definitions: readonly FieldDefinition[],
  fields: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    definitions.flatMap((definition) => {
      const sent = Object.hasOwn(fields, definition.name) ? fields[definition.name] : undefined
      const value = applyDefault(definition, sent)
      return value === null || value === undefined ? [] : [[definition.name, value] as const]
    }),
  )
}

function applyDefault(definition: FieldDefinition, sent: unknown): unknown {
  const value = sent ?? definition.default
  if (definition.type === 'object' && isObject(value)) return applyDefaults(definition.fields ?? [], value)
  const { itemsType } = definition
  if (definition.type === 'array' && itemsType && Array.isArray(value)) {
    return value.map((item: unknown) => applyDefault(itemsType, item) ?? null)
  }
  return value
}
