import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { UniqueViolationError } from 'objection'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mergePatch } from '../../../kernel/json/merge-patch.ts'
import { createProblem, type Issue } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readProtectedTerms } from '../../certification/index.ts'
import {
  getIdentity,
  validateCertifiedData,
  validateData,
  validateDataPaths,
  validateProduct,
} from '../content/index.ts'
import { applyDefaults, validateSheetValues } from '../fields/index.ts'
import { listPictureAddresses, namePictures } from '../pictures/index.ts'
import {
  assertNoIssues,
  assertWritable,
  changePassport,
  createDuplicateNumbersProblem,
  createDuplicateReferenceProblem,
  findDuplicateProblem,
  lockPassport,
  type Passport,
  type PassportChange,
  type PassportPatch,
  type PassportRow,
  passportStatus,
  type Precondition,
  presentFor,
  presentPassport,
  readShownPassport,
  recordPassportEvents,
  validateCertificateUri,
  validateFlowMembers,
} from '../passports/index.ts'
import { readSheet, type SheetRow, validateCertifiedPaths } from '../sheets/index.ts'
import { recertifyPassport } from '../certificates/index.ts'
import { startStructureJob } from '../structure/index.ts'

/**
 * Changes a passport. A patch that changes nothing leaves no event.
 * @throws NOT_FOUND
 * @throws VALIDATION_FAILED
 * @throws DPP_PASSPORT_SOURCE_READ_ONLY
 * @throws PRECONDITION_FAILED
 * @throws DPP_PASSPORT_IDENTITY_FIXED
 * @throws DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function updatePassport(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  patch: PassportPatch,
  precondition: Precondition,
): Promise<Passport> {
  const row = await lockPassport(work, caller, id)
  const { change, issues } = validateChange(
    row,
    patch,
    await findSheetForPatch(work, row, patch),
    await readProtectedTerms(work.context.db, false),
  )
  assertNoIssues([...issues, ...validateCertificateUri(work.context.outbound, patch.certificateUri)])
  assertWritable(row)
  precondition(presentFor(caller, row))
  if (changesNothing(row, change)) return presentPassport(row, 'owner')
  const moved = movesNumbers(row, change)
  if (moved) assertIdentityChangeable(row)
  await applyChange(work.trx, row, change)
  if (moved) await startStructureJob(work.trx, work.context, row.organization, [id])
  await recertifyPassport(work, row, await readShownPassport(work.trx, id))
  const changed = await readShownPassport(work.trx, id)
  if (changed.status !== 'draft' && (change.product ?? change.fields) !== undefined)
    await namePictures(work.trx, work.context, row.organization, await listPictureAddresses(work.trx, [changed]))
  await recordPassportEvents(work.trx, 'update', [changed])
  return presentPassport(changed, 'owner')
}

export const changesNothing = (row: PassportRow, change: PassportChange): boolean =>
  Object.entries(change).every(([name, value]) => isDeepStrictEqual(value, row[name as keyof PassportChange]))

/** Checks whether a change affects the granularity or the numbers. */
export const movesNumbers = (row: PassportRow, { product }: PassportChange): boolean =>
  product ? !isDeepStrictEqual(getIdentity(product), getIdentity(row.product ?? {})) : false

/**
 * Checks that the granularity and the numbers of a passport can change.
 * @throws DPP_PASSPORT_IDENTITY_FIXED if the passport is not a draft
 */
export function assertIdentityChangeable({ status }: Pick<PassportRow, 'status'>): void {
  if (status === 'draft') return
  throw createProblem('DPP_PASSPORT_IDENTITY_FIXED', `Granularity and numbers of a ${status} passport cannot change.`, {
    path: 'product',
  })
}

/** Finds the sheet that a patch is validated against; null if the patch needs none. */
async function findSheetForPatch(work: Work, { sheet }: PassportRow, patch: PassportPatch): Promise<SheetRow | null> {
  if (sheet === null || (patch.fields === undefined && patch.certifiedPaths === undefined)) return null
  return readSheet(work, sheet)
}

interface ChangeValidation {
  change: PassportChange
  issues: Issue[]
}

/**
 * Validates a patch and computes the change that it makes to a passport.
 * @param sheet the sheet of the passport; null if it has none, or if the patch does not depend on the sheet
 * @param protectedTerms names that the stored JSON-LD context of UNTP protects
 */
export function validateChange(
  row: PassportRow,
  patch: PassportPatch,
  sheet: SheetRow | null,
  protectedTerms?: ReadonlySet<string>,
): ChangeValidation {
  const { status, product, data, fields, ...change } = patch
  const issues = validateFlowMembers(row.product === null ? 'sheet' : 'product', patch)
  if (status !== undefined && status !== passportStatus.moves.archive.to && status !== row.status) {
    issues.push({
      path: 'status',
      code: 'transition',
      message: `a ${row.status} passport can only become archived here`,
    })
  }
  const content =
    row.product === null
      ? validateSheetChange(row, patch, sheet, issues)
      : validateProductChange(row, patch, issues, protectedTerms)
  return { change: { ...change, ...content, ...(status !== undefined && { status }) }, issues }
}

function validateSheetChange(
  row: PassportRow,
  patch: PassportPatch,
  sheet: SheetRow | null,
  issues: Issue[],
): PassportChange {
  const { fields, certifiedPaths } = patch
  if (sheet === null) return {}
  const merged = mergePatch(row.fields, fields ?? {})
  if (fields !== undefined) issues.push(...validateSheetValues(sheet, merged, 'fields'))
  issues.push(...validateCertifiedPaths(sheet, certifiedPaths ?? []))
  if (fields === undefined || issues.length > 0) return {}
  const stored = applyDefaults(sheet.passportsFields, merged)
  return isDeepStrictEqual(stored, row.fields) ? {} : { fields: stored, sheetVersion: sheet.schemaVersion }
}

/**
 * Validates a patch of the product flow. Certified paths may stay when their values are removed; then less is
 * certified.
 */
function validateProductChange(
  row: PassportRow,
  patch: PassportPatch,
  issues: Issue[],
  protectedNames: ReadonlySet<string> | undefined,
): PassportChange {
  const { product, data, certifiedPaths } = patch
  const change: PassportChange = {}
  if (product !== undefined) {
    change.product = mergePatch(row.product ?? {}, product)
    issues.push(...validateProduct(change.product, 'product', protectedNames))
  }
  if (data !== undefined) {
    change.data = mergePatch(row.data ?? {}, data)
    issues.push(...validateData(change.data))
  }
  const now = change.data ?? row.data ?? {}
  issues.push(
    ...validateDataPaths(certifiedPaths ?? []),
    ...validateCertifiedData(now, certifiedPaths ?? row.certifiedPaths, protectedNames),
  )
  return change
}

async function applyChange(trx: Knex, row: PassportRow, change: PassportChange): Promise<void> {
  const { id, application } = row
  const { reference = null, product = null } = change
  if (reference === null && product === null) return changePassport(trx, id, change)
  const findConflict = () => findDuplicateProblem(trx, { id, application, reference, product })
  const conflict = await findConflict()
  if (conflict) throw conflict
  // Another transaction may take the reference or numbers meanwhile. A savepoint keeps this transaction usable, so that
  // it can read which passport has them.
  const taken = await trx
    .transaction((savepoint) => changePassport(savepoint, id, change))
    .then(() => null, toDuplicateProblem)
  if (taken) throw (await findConflict()) ?? taken(undefined)
}

function toDuplicateProblem(error: unknown) {
  if (error instanceof UniqueViolationError) {
    if (error.constraint === 'passports_reference_unique') return createDuplicateReferenceProblem
    if (error.constraint === 'passports_identity_unique') return createDuplicateNumbersProblem
  }
  throw error
}
