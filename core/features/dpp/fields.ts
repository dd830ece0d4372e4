import type { Violation } from '../../kernel/problem.ts'
import { Findings, isObject, judgeOf, membersJudge, type Judge } from './fields.judges.ts'
import type { FieldDefinition } from './fields.schema.ts'

/** Judges values against the definitions it was made from. `at` is the path of the values, as `fields` or `[3]`. */
export type FieldsValidator = (values: unknown, at: string) => Violation[]

/**
 * Makes one validator of many definitions, to be used any number of times. Unknown keys are violations,
 * `null` counts as absent, an absent required value is a violation unless the definition has a default.
 * The definitions have to be valid (`validateDefinitions`). At most 100 violations are reported.
 */
export function compileFields(definitions: readonly FieldDefinition[]): FieldsValidator {
  return reporting(membersJudge(definitions))
}

/** A validator of a single value. */
export function compileField(definition: FieldDefinition): FieldsValidator {
  return reporting(judgeOf(definition))
}

function reporting(judge: Judge): FieldsValidator {
  return (value, at) => {
    const findings = new Findings()
    judge(value, at, findings)
    return findings.list
  }
}

/** What of a sheet decides about values; its version changes with every change of the definitions. */
export interface SheetFields {
  readonly id: string
  readonly schemaVersion: number
  readonly productFields: readonly FieldDefinition[]
  readonly passportsFields: readonly FieldDefinition[]
}

/** Validators kept by this process; the one used longest ago makes room. */
const mostCompiled = 1_000
const compiled = new Map<string, FieldsValidator>()

/** The validator of a sheet's product values or passport values, compiled once a version of its definitions. */
export function sheetValidator(sheet: SheetFields, which: 'productFields' | 'passportsFields'): FieldsValidator {
  const key = `${sheet.id}:${sheet.schemaVersion}:${which}`
  const validator = compiled.get(key) ?? compileFields(sheet[which])
  compiled.delete(key)
  compiled.set(key, validator)
  const [oldest] = compiled.keys()
  if (compiled.size > mostCompiled && oldest !== undefined) compiled.delete(oldest)
  return validator
}

/**
 * The values as they are stored: absent ones (`null` included) take the default of their definition or are left out,
 * also inside objects and arrays. Values have to be valid; used where values are written, never where they are read.
 */
export function applyDefaults(
  definitions: readonly FieldDefinition[], values: Record<string, unknown>,
): Record<string, unknown> {
  const complete: Record<string, unknown> = {}
  for (const definition of definitions) {
    const own = Object.hasOwn(values, definition.name) ? values[definition.name] : undefined
    const value = completed(definition, own)
    if (value !== null && value !== undefined) complete[definition.name] = value
  }
  return complete
}

function completed(definition: FieldDefinition, sent: unknown): unknown {
  const value = sent ?? definition.default
  if (definition.type === 'object' && isObject(value)) return applyDefaults(definition.fields ?? [], value)
  const { itemsType } = definition
  if (definition.type === 'array' && itemsType && Array.isArray(value)) {
    return value.map((item: unknown) => completed(itemsType, item) ?? null)
  }
  return value
}
