import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { UniqueViolationError, raw } from 'objection'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { mergePatch } from '../../kernel/merge.ts'
import { problem, type Violation } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { keptProtectedTerms } from '../certification/index.ts'
import { judgeCertifiedData, judgeData, judgeDataPaths } from './data.rules.ts'
import { recordPassportEvents } from './passports.events.ts'
import { refusalOf } from './passports.holders.ts'
import { PassportRow } from './passports.model.ts'
import { presentPassport } from './passports.present.ts'
import {
  duplicateNumbers, duplicateReference, judgeCertificateUri, judgeCertifiedPaths, judgeForeignMembers, judgeValues, refuseInvalid,
  refuseReadOnly, storedValues,
} from './passports.rules.ts'
import type { Passport, PassportPatch } from './passports.schema.ts'
import { lockPassport, presentFor, shownPassport, type Precondition } from './passports.ts'
import { identityOf, judgeProduct } from './product.rules.ts'
import { recertify } from './recertify.ts'
import { readSheet, type SheetRow } from './sheets.reads.ts'
import { startStructure } from './structure.ts'

/**
 * Changes a passport. What changes nothing leaves no event.
 * @throws NOT_FOUND, VALIDATION_FAILED, DPP_PASSPORT_SOURCE_READ_ONLY, PRECONDITION_FAILED,
 * DPP_PASSPORT_IDENTITY_FIXED, DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function updatePassport(
  work: Work, caller: OrganizationCaller, id: string, patch: PassportPatch, precondition: Precondition,
): Promise<Passport> {
  const row = await lockPassport(work, caller, id)
  const { change, violations } = judgeChange(
    row, patch, await sheetFor(work, row, patch), await keptProtectedTerms(work.context.db, false))
  refuseInvalid([...violations, ...judgeCertificateUri(work.context.outbound, patch.certificateUri)])
  refuseReadOnly(row)
  precondition(presentFor(caller, row))
  if (changesNothing(row, change)) return presentPassport(row)
  const moved = movesNumbers(row, change)
  if (moved) refuseFixed(row)
  await applyChange(work.trx, row, change)
  if (moved) await startStructure(work.trx, work.context, row.organization, [id])
  await recertify(work, row, await shownPassport(work.trx, id))
  const changed = await shownPassport(work.trx, id)
  await recordPassportEvents(work.trx, 'update', [changed])
  return presentPassport(changed)
}

export type Change = Partial<Pick<PassportRow, (keyof PassportPatch & keyof PassportRow) | 'sheetVersion'>>

export const changesNothing = (row: PassportRow, change: Change): boolean =>
  Object.entries(change).every(([name, value]) => isDeepStrictEqual(value, row[name as keyof Change]))

/** Whether granularity or numbers become others. */
export const movesNumbers = (row: PassportRow, { product }: Change): boolean =>
  product ? !isDeepStrictEqual(identityOf(product), identityOf(row.product ?? {})) : false

/** @throws DPP_PASSPORT_IDENTITY_FIXED for what is no draft any more */
export function refuseFixed({ status }: Pick<PassportRow, 'status'>): void {
  if (status === 'draft') return
  throw problem('DPP_PASSPORT_IDENTITY_FIXED', `Granularity and numbers of a ${status} passport cannot change.`, {
    path: 'product',
  })
}

/** The sheet that a patch is judged by, where it is judged by one. */
async function sheetFor(work: Work, { sheet }: PassportRow, patch: PassportPatch): Promise<SheetRow | null> {
  if (sheet === null || (patch.fields === undefined && patch.certifiedPaths === undefined)) return null
  return readSheet(work, sheet)
}

interface JudgedChange { change: Change; violations: Violation[] }

/**
 * What a patch makes of a passport. @param sheet that of the passport; null where it has none, or where the patch has
 * nothing of the sheet's. @param refused names that the kept context of UNTP protects
 */
export function judgeChange(
  row: PassportRow, patch: PassportPatch, sheet: SheetRow | null, refused?: ReadonlySet<string>,
): JudgedChange {
  const { status, product, data, fields, ...change } = patch
  const violations = judgeForeignMembers(row.product === null ? 'sheet' : 'product', patch)
  if (status !== undefined && status !== 'archived' && status !== row.status) {
    violations.push({
      path: 'status', code: 'transition', message: `a ${row.status} passport can only become archived here`,
    })
  }
  const content = row.product === null
    ? sheetChange(row, patch, sheet, violations)
    : productChange(row, patch, violations, refused)
  return { change: { ...change, ...content, ...(status !== undefined && { status }) }, violations }
}

function sheetChange(row: PassportRow, patch: PassportPatch, sheet: SheetRow | null, violations: Violation[]): Change {
  const { fields, certifiedPaths } = patch
  if (sheet === null) return {}
  const merged = mergePatch(row.fields, fields ?? {})
  if (fields !== undefined) violations.push(...judgeValues(sheet, merged, 'fields'))
  violations.push(...judgeCertifiedPaths(sheet, certifiedPaths ?? []))
  if (fields === undefined || violations.length > 0) return {}
  const stored = storedValues(sheet, merged)
  return isDeepStrictEqual(stored, row.fields) ? {} : { fields: stored, sheetVersion: sheet.schemaVersion }
}

/** Paths that were certified before stay when their values go: there is less to certify then. */
function productChange(
  row: PassportRow, patch: PassportPatch, violations: Violation[], refused: ReadonlySet<string> | undefined,
): Change {
  const { product, data, certifiedPaths } = patch
  const change: Change = {}
  if (product !== undefined) {
    change.product = mergePatch(row.product ?? {}, product)
    violations.push(...judgeProduct(change.product, 'product', refused))
  }
  if (data !== undefined) {
    change.data = mergePatch(row.data ?? {}, data)
    violations.push(...judgeData(change.data))
  }
  const now = change.data ?? row.data ?? {}
  violations.push(
    ...judgeDataPaths(certifiedPaths ?? []), ...judgeCertifiedData(now, certifiedPaths ?? row.certifiedPaths, refused),
  )
  return change
}

async function applyChange(trx: Knex, row: PassportRow, change: Change): Promise<void> {
  const { id, application } = row
  const write = (db: Knex) => PassportRow.query(db).findById(id).patch({ ...change, updatedAt: raw('now()') })
  const { reference = null, product = null } = change
  if (reference === null && product === null) return void (await write(trx))
  const refusal = () => refusalOf(trx, { id, application, reference, product })
  const held = await refusal()
  if (held) throw held
  // Somebody may take it in between: a savepoint keeps the transaction usable to say who it was.
  const taken = await trx.transaction(async (savepoint) => { await write(savepoint) }).then(() => null, refusedAsTaken)
  if (taken) throw await refusal() ?? taken(undefined)
}

function refusedAsTaken(error: unknown) {
  if (error instanceof UniqueViolationError) {
    if (error.constraint === 'passports_reference_unique') return duplicateReference
    if (error.constraint === 'passports_identity_unique') return duplicateNumbers
  }
  throw error
}
