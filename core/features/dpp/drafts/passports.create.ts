import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import { createRecentCache, type RecentCache } from '../../../kernel/process/recent-cache.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { validateSheetValues } from '../fields/index.ts'
import {
  assertNoIssues,
  createDuplicateReferenceProblem,
  findReferenceHolder,
  insertSheetPassport,
  isProductFlow,
  type NewPassport,
  type Passport,
  validateCertificateUri,
  validateSheetMembers,
} from '../passports/index.ts'
import { createProductPassport } from './passports.product.ts'
import { readSheet, type SheetRow, validateCertifiedPaths } from '../sheets/index.ts'

/**
 * The sheets from which passports were created recently, for each process. The insert statement checks whether a cached
 * sheet is still current.
 */
const sheetCaches = new WeakMap<Context, RecentCache<SheetRow>>()
const maxCachedSheets = 500
/**
 * The maximum number of attempts. A sheet that changes between every read and insert is changed by a machine; it gets
 * no passport meanwhile.
 */
const maxAttempts = 5

/**
 * Creates a draft.
 * @throws INVALID_REQUEST
 * @throws NOT_FOUND
 * @throws VALIDATION_FAILED
 * @throws DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function createPassport(work: Work, caller: OrganizationCaller, body: NewPassport): Promise<Passport> {
  if (isProductFlow(body)) return createProductPassport(work, caller, body)
  return createFromSheet(work, caller, { ...body, product: body.product as string })
}

type NewSheetPassport = NewPassport & { product: string }

/**
 * Creates a draft from a sheet. The cached sheet is used first. It is read again if it has changed, or if the passport
 * does not fit it.
 * @throws NOT_FOUND
 * @throws VALIDATION_FAILED
 * @throws DPP_PASSPORT_DUPLICATE_REFERENCE
 */
async function createFromSheet(work: Work, caller: OrganizationCaller, body: NewSheetPassport): Promise<Passport> {
  assertNoIssues([...validateSheetMembers(body), ...validateCertificateUri(work.context.outbound, body.certificateUri)])
  const sheetCache = getSheetCache(work.context)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const old = attempt === 0 ? sheetCache.get(body.product) : undefined
    const sheet = old?.organization === caller.organization ? old : await readSheet(work, body.product)
    const issues = await validateSheetPassport(work, body, sheet)
    if (issues.length > 0 && sheet === old) continue
    assertNoIssues(issues)
    const created = await insertSheetPassport(work, body, sheet)
    if (created) {
      sheetCache.set(sheet.id, sheet)
      return created
    }
    const { reference = null } = body
    const holder = reference === null ? undefined : await findReferenceHolder(work.trx, sheet.application, reference)
    if (holder !== undefined) throw createDuplicateReferenceProblem(holder)
  }
  throw createValidationProblem([
    { path: 'product', code: 'changing', message: 'names a sheet that is being changed; try again' },
  ])
}

/**
 * Validates a new passport against its sheet.
 * @throws NOT_FOUND for an application that does not belong to the organization
 */
export async function validateSheetPassport(work: Work, body: NewPassport, sheet: SheetRow): Promise<Issue[]> {
  const { application, fields = {}, certifiedPaths = [] } = body
  if (application !== undefined && application !== sheet.application) {
    await readApplication(work, application)
    return [{ path: 'application', code: 'mismatch', message: 'is not the application of the sheet' }]
  }
  return [...validateSheetValues(sheet, fields, 'fields'), ...validateCertifiedPaths(sheet, certifiedPaths)]
}

function getSheetCache(context: Context): RecentCache<SheetRow> {
  const known = sheetCaches.get(context) ?? createRecentCache<SheetRow>(maxCachedSheets)
  sheetCaches.set(context, known)
  return known
}
