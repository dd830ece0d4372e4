import { invalid, problem, type Problem, type Violation } from '../../kernel/problem.ts'
import { applyDefaults, sheetValidator, type SheetFields } from './fields.ts'
import { pathExists } from './fields.paths.ts'
import type { PassportRow } from './passports.model.ts'

/** Violations of a passport's values against its sheet. @param at path of the values, as `fields` or `[3]` */
export function judgeValues(sheet: SheetFields, values: Record<string, unknown>, at: string): Violation[] {
  return sheetValidator(sheet, 'passportsFields')(values, at)
}

/** The values as they are stored. They have to be valid. */
export function storedValues(sheet: SheetFields, values: Record<string, unknown>): Record<string, unknown> {
  return applyDefaults(sheet.passportsFields, values)
}

/** Violations of certified paths: each has to name a field of the sheet, of its product or of its passports. */
export function judgeCertifiedPaths(sheet: SheetFields, paths: readonly string[]): Violation[] {
  return paths.flatMap((path, at) => pathExists(sheet.passportsFields, path) || pathExists(sheet.productFields, path)
    ? []
    : [{ path: `certifiedPaths[${at}]`, code: 'unknown_path', message: 'names no field of the sheet' }])
}

/** @throws VALIDATION_FAILED when there is any violation */
export function refuseInvalid(violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalid(violations)
}

/** Passports that a shop keeps are changed by that shop alone. @throws DPP_PASSPORT_SOURCE_READ_ONLY */
export function refuseReadOnly({ source }: Pick<PassportRow, 'source'>): void {
  if (source === 'ecommerce') {
    throw problem('DPP_PASSPORT_SOURCE_READ_ONLY', 'The shop that this passport comes from keeps it; change it there.')
  }
}

/** The refusal of a reference that another passport of the application has. */
export function duplicateReference(existing: string | undefined): Problem {
  return problem('DPP_PASSPORT_DUPLICATE_REFERENCE', 'The application already has a passport with this reference.', {
    path: 'reference', ...(existing !== undefined && { extra: { existing } }),
  })
}

/** The letters A to Z made small and nothing else, so that no two different mailboxes become one. */
export function sameEmail(one: string, other: string): boolean {
  const small = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return small(one) === small(other)
}
