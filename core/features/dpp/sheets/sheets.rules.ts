import { createValidationProblem, createProblem, type Issue } from '../../../kernel/problem.ts'
import {
  compileFields,
  countDefinitions,
  type FieldDefinition,
  maxDefinitions,
  pathExists,
  type SheetFields,
  validateDefinitions,
} from '../fields/index.ts'

/** The members of a sheet that have to be consistent with each other. */
export interface SheetContent {
  productFields: FieldDefinition[]
  passportsFields: FieldDefinition[]
  certifiedPaths: string[]
  fields: Record<string, unknown>
}

/**
 * Checks that the definitions of a sheet are valid, then its certified paths and values, which depend on them. Values
 * that were not sent along need not be complete, so that a sheet can be defined first and filled in later.
 * @throws INVALID_REQUEST for a definition without name or type
 * @throws VALIDATION_FAILED for any other issue
 */
export function assertConsistentSheet(content: SheetContent, fieldsSent: boolean): void {
  const definitions = validateSheetDefinitions(content)
  if (definitions.some(({ code }) => code === 'required')) {
    throw createProblem('INVALID_REQUEST', 'A field definition has no name or no type.', { errors: definitions })
  }
  const issues =
    definitions.length > 0
      ? definitions
      : [...validateCertifiedPaths(content, content.certifiedPaths), ...validateProductValues(content, fieldsSent)]
  if (issues.length > 0) throw createValidationProblem(issues)
}

function validateSheetDefinitions({ productFields, passportsFields }: SheetContent): Issue[] {
  const issues = [
    ...validateDefinitions(productFields, 'productFields'),
    ...validateDefinitions(passportsFields, 'passportsFields'),
  ]
  if (issues.length > 0) return issues
  if (countDefinitions(productFields) + countDefinitions(passportsFields) <= maxDefinitions) return []
  const message = `a sheet has at most ${maxDefinitions} definitions, both lists together`
  return [{ path: 'passportsFields', code: 'too_many', message }]
}

/** Validates certified paths: each has to name a field of the sheet, of its product or of its passports. */
export function validateCertifiedPaths(
  sheet: Pick<SheetFields, 'productFields' | 'passportsFields'>,
  paths: readonly string[],
): Issue[] {
  return paths.flatMap((path, at) =>
    pathExists(sheet.passportsFields, path) || pathExists(sheet.productFields, path)
      ? []
      : [{ path: `certifiedPaths[${at}]`, code: 'unknown_path', message: 'names no field of the sheet' }],
  )
}

function validateProductValues({ fields, productFields }: SheetContent, sent: boolean): Issue[] {
  const issues = compileFields(productFields)(fields, 'fields')
  return sent ? issues : issues.filter(({ code }) => code !== 'required')
}
