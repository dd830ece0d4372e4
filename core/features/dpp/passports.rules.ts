import { invalid, problem, type Problem, type Violation } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { applyDefaults, sheetValidator, type SheetFields } from './fields.ts'
import { judgeCertifiedData, judgeData, judgeDataPaths } from './data.rules.ts'
import { pathExists } from './fields.paths.ts'
import type { PassportRow } from './passports.model.ts'
import type { NewPassport } from './passports.schema.ts'
import { judgeProduct } from './product.rules.ts'
import type { Product } from './product.schema.ts'

/** A passport to create that describes its product itself. */
export type NewProductPassport = NewPassport & { product: Product }

export const isProductFlow = (body: NewPassport): body is NewProductPassport => typeof body.product === 'object'

/** Violations of a passport's values against its sheet. @param at path of the values, as `fields` or `[3]` */
export function judgeValues(sheet: SheetFields, values: Record<string, unknown>, at: string): Violation[] {
  return sheetValidator(sheet, 'passportsFields')(values, at)
}

/** The values as they are stored. They have to be valid. */
export function storedValues(sheet: SheetFields, values: Record<string, unknown>): Record<string, unknown> {
  return applyDefaults(sheet.passportsFields, values)
}

/** Violations of certified paths: each has to name a field of the sheet, of its product or of its passports. */
export function judgeCertifiedPaths(
  sheet: Pick<SheetFields, 'productFields' | 'passportsFields'>, paths: readonly string[],
): Violation[] {
  return paths.flatMap((path, at) => pathExists(sheet.passportsFields, path) || pathExists(sheet.productFields, path)
    ? []
    : [{ path: `certifiedPaths[${at}]`, code: 'unknown_path', message: 'names no field of the sheet' }])
}

const madeFrom = { sheet: 'a sheet', product: 'a product object' } as const

const foreignTo = (flow: 'sheet' | 'product') => (path: string): Violation =>
  ({ path, code: 'flow', message: `is no member of a passport that is made from ${madeFrom[flow]}` })

const foreignMembers = { sheet: ['data', 'network', 'product'], product: ['fields'] } as const

/** Members of a patch that belong to the other flow. */
export const judgeForeignMembers = (flow: 'sheet' | 'product', body: object): Violation[] =>
  foreignMembers[flow].filter((name) => name in body).map(foreignTo(flow))

/** Says that an address of a hosted certificate could never be fetched. @param outbound what would fetch it */
export function judgeCertificateUri(
  outbound: Pick<Context['outbound'], 'objection'>, certificateUri: string | null | undefined,
): Violation[] {
  const objection = typeof certificateUri === 'string' ? outbound.objection(certificateUri) : undefined
  return objection === undefined ? []
    : [{ path: 'certificateUri', code: 'url', message: `cannot be fetched: ${objection}` }]
}

/** Members of the product flow in a new passport of the sheet flow. */
export const judgeSheetMembers = ({ product: _, ...others }: NewPassport): Violation[] =>
  judgeForeignMembers('sheet', others)

/**
 * Violations of a new passport of the product flow: everything that can be told without the database.
 * @param refused names that the kept context of UNTP protects
 */
export function judgeProductPassport(body: NewProductPassport, refused?: ReadonlySet<string>): Violation[] {
  const { application, product, data = {}, certifiedPaths = [] } = body
  const missing = application !== undefined ? [] : [{
    path: 'application', code: 'required', message: 'is missing: a passport with a product object needs it',
  }]
  return [
    ...missing,
    ...judgeForeignMembers('product', body),
    ...judgeProduct(product, 'product', refused), ...judgeData(data), ...judgeDataPaths(certifiedPaths),
    ...judgeCertifiedData(data, certifiedPaths, refused),
  ]
}

/** Members that this API documents as needed; without one a body cannot be understood. */
const documented = /^(application|product\.\w+)$/

/** @throws INVALID_REQUEST when a documented member is missing, VALIDATION_FAILED when there is any other violation */
export function refuseUnfit(violations: readonly Violation[]): void {
  if (violations.some(({ path, code }) => code === 'required' && documented.test(path))) {
    throw problem('INVALID_REQUEST', 'A member that the passport needs is missing.', { errors: violations })
  }
  refuseInvalid(violations)
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

/** The refusal of granularity and numbers that another passport of the application has. */
export function duplicateNumbers(existing: string | undefined): Problem {
  return problem('DPP_PASSPORT_DUPLICATE_REFERENCE', 'The application already has a passport with these numbers.', {
    path: 'product', ...(existing !== undefined && { extra: { existing } }),
  })
}

/** The letters A to Z made small and nothing else, so that no two different mailboxes become one. */
export function sameEmail(one: string, other: string): boolean {
  const small = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return small(one) === small(other)
}
