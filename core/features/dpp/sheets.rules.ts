import { invalid, problem, type Violation } from '../../kernel/problem.ts'
import { compileFields } from './fields.ts'
import { countDefinitions, mostDefinitions, validateDefinitions } from './fields.definitions.ts'
import { pathExists } from './fields.paths.ts'
import type { FieldDefinition } from './fields.schema.ts'

/** What of a sheet has to fit together. */
export interface SheetContent {
  productFields: FieldDefinition[]
  passportsFields: FieldDefinition[]
  certifiedPaths: string[]
  fields: Record<string, unknown>
}

/**
 * Judges definitions, then the paths and values that depend on them. Values that were not sent along are not held to be
 * complete, so that a sheet can be defined first and filled in later.
 * @throws INVALID_REQUEST for a definition without name or type, else VALIDATION_FAILED
 */
export function refuseContradictions(content: SheetContent, fieldsSent: boolean): void {
  const definitions = judgeDefinitions(content)
  if (definitions.some(({ code }) => code === 'required')) {
    throw problem('INVALID_REQUEST', 'A field definition has no name or no type.', { errors: definitions })
  }
  const violations = definitions.length > 0
    ? definitions
    : [...judgePaths(content), ...judgeFields(content, fieldsSent)]
  if (violations.length > 0) throw invalid(violations)
}

function judgeDefinitions({ productFields, passportsFields }: SheetContent): Violation[] {
  const violations = [
    ...validateDefinitions(productFields, 'productFields'), ...validateDefinitions(passportsFields, 'passportsFields'),
  ]
  if (violations.length > 0) return violations
  if (countDefinitions(productFields) + countDefinitions(passportsFields) <= mostDefinitions) return []
  const message = `a sheet has at most ${mostDefinitions} definitions, both lists together`
  return [{ path: 'passportsFields', code: 'too_many', message }]
}

function judgePaths({ certifiedPaths, passportsFields, productFields }: SheetContent): Violation[] {
  return certifiedPaths.flatMap((path, at) => pathExists(passportsFields, path) || pathExists(productFields, path)
    ? []
    : [{ path: `certifiedPaths[${at}]`, code: 'unknown_path', message: 'names no field of the sheet' }])
}

function judgeFields({ fields, productFields }: SheetContent, sent: boolean): Violation[] {
  const violations = compileFields(productFields)(fields, 'fields')
  return sent ? violations : violations.filter(({ code }) => code !== 'required')
}
