import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import { newId } from '../../../database/model.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { DryRun } from '../../../kernel/dry-run.ts'
import { mergePatch } from '../../../kernel/json/merge-patch.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { applyDefaults } from '../fields/index.ts'
import { changeNetworkOfSheet } from '../passports/index.ts'
import { recertifySheet } from '../certificates/index.ts'
import {
  assertConformance,
  assertConsistentSheet,
  changeSheet,
  checkConformance,
  type Conformance,
  createDryRun,
  deleteSheetRow,
  getDefinitions,
  insertSheet,
  insertSheetVersion,
  isCompatible,
  type NewSheet,
  presentSheet,
  readLockedSheet,
  type SheetContent,
  type SheetPatch,
  SheetRow,
} from '../sheets/index.ts'
import { assertPlanNetwork } from '../../../meters/index.ts'
import { startMigration } from './migration.ts'

/**
 * Creates a sheet.
 * @throws VALIDATION_FAILED
 * @throws INVALID_REQUEST for a definition without name or type
 * @throws NOT_FOUND for an application that does not belong to the organization
 */
export async function createSheet(work: Work, caller: OrganizationCaller, body: NewSheet): Promise<SheetRow> {
  const { productFields = [], passportsFields = [], certifiedPaths = [], fields = {} } = body
  assertConsistentSheet({ productFields, passportsFields, certifiedPaths, fields }, body.fields !== undefined)
  const application = await readApplication(work, body.application, { lock: 'forKeyShare' })
  const { trx, context } = work
  const { organization } = caller
  await assertPlanNetwork(trx, context.meters.table, { organization, network: body.network })
  const id = newId()
  await insertSheet(trx, {
    id,
    organization,
    application: application.id,
    network: body.network ?? application.defaultNetwork,
    name: body.name,
    status: body.status ?? 'DRAFT',
    productFields,
    passportsFields,
    certifiedPaths,
    fields: applyDefaults(productFields, fields),
  })
  return readSheetRow(trx, id)
}

async function readSheetRow(trx: Knex, id: string): Promise<SheetRow> {
  return SheetRow.query(trx).findById(id).throwIfNotFound()
}

/**
 * The result of a change of a sheet: the sheet, the job that validates its passports again, or the preview of a dry
 * run.
 */
export type SheetChange = { sheet: SheetRow } | { job: string } | { dryRun: DryRun }

/** The options of a change of a sheet. */
export interface SheetChangeOptions {
  precondition: (shown: unknown) => void
  dryRun: boolean
}

/**
 * Applies a merge patch to a sheet. If the network changes, which is possible while no passport is minted, the
 * passports change with it. Passports keep the version of the definitions that they were validated against.
 * @throws VALIDATION_FAILED
 * @throws INVALID_REQUEST for a definition without name or type
 * @throws NOT_FOUND
 * @throws PRECONDITION_FAILED
 * @throws DPP_PRODUCT_STATUS_FINAL
 * @throws DPP_PRODUCT_NETWORK_FIXED
 * @throws DPP_PRODUCT_SCHEMA_IN_USE
 */
export async function updateSheet(
  work: Work,
  id: string,
  { migrate = false, ...patch }: SheetPatch,
  { precondition, dryRun }: SheetChangeOptions,
): Promise<SheetChange> {
  const { trx } = work
  if (patch.network !== undefined && !dryRun) await lockPassportsOfSheet(work, id, patch.network)
  const { sheet, conformance } = await lockSheetForChange(work, id, patch, dryRun)
  const { name, network, status } = sheet
  if (patch.network !== network) {
    const { organization } = sheet
    await assertPlanNetwork(trx, work.context.meters.table, { organization, network: patch.network })
  }
  const before = { name, network, status, ...getSheetContent(sheet) }
  const after = { ...before, ...patch, ...applyContentPatch(sheet, patch) }
  precondition(presentSheet(sheet))
  await assertChangeableAfterMint(trx, sheet, patch)
  if (dryRun) return { dryRun: await createDryRun(trx, sheet, conformance, migrate) }
  if (conformance && !migrate) assertConformance(conformance)
  if (!isDeepStrictEqual(before, after)) await updateSheetRow(work, sheet, before, after)
  return migrate ? { job: await startMigration(work, sheet) } : { sheet: await readSheetRow(trx, id) }
}

/**
 * Locks a sheet until the transaction ends and checks its passports against the definitions of a patch; `conformance`
 * is null if all of them fit without a check. A dry run locks nothing.
 */
async function lockSheetForChange(
  work: Work,
  id: string,
  patch: SheetPatch,
  dryRun: boolean,
): Promise<{ sheet: SheetRow; conformance: Conformance | null }> {
  const lock = () => readLockedSheet(work, id, dryRun ? undefined : 'forUpdate')
  if (patch.passportsFields === undefined && patch.productFields === undefined)
    return { sheet: await lock(), conformance: null }
  for (;;) {
    const seen = await readLockedSheet(work, id)
    const after = applyContentPatch(seen, patch)
    let sheet: SheetRow | undefined
    const conformance = isCompatible(seen, after)
      ? null
      : await checkConformance(work.trx, seen, after, async () => void (sheet = await lock()))
    sheet ??= await lock()
    // If the sheet changed meanwhile, its passports are checked once more. The sheet is locked now, so that check is
    // the last one.
    if (dryRun || sheet.version === seen.version) return { sheet, conformance }
  }
}

type WritableSheet = Pick<SheetRow, 'name' | 'network' | 'status'> & SheetContent

async function updateSheetRow(work: Work, sheet: SheetRow, before: WritableSheet, after: WritableSheet): Promise<void> {
  const { trx } = work
  const { id } = sheet
  const schemaVersion = isDeepStrictEqual(getDefinitions(before), getDefinitions(after))
    ? sheet.schemaVersion
    : await insertSheetVersion(trx, sheet)
  await changeSheet(trx, sheet, { ...after, schemaVersion })
  if (after.network !== before.network) {
    await changeNetworkOfSheet(trx, id, after.network)
  }
  const certified = ({ name, fields, certifiedPaths, passportsFields }: WritableSheet) => ({
    name,
    fields,
    certifiedPaths,
    passportsFields,
  })
  if (!isDeepStrictEqual(certified(before), certified(after))) await recertifySheet(work, sheet)
}

/**
 * Locks the passports of a sheet before its network changes: it waits for claims in progress, so that they are seen,
 * and makes new ones wait. The passports are locked before their sheet, because whoever changes a passport locks that
 * first.
 */
async function lockPassportsOfSheet(work: Work, id: string, network: Network): Promise<void> {
  const sheet = await readLockedSheet(work, id)
  if (network === sheet.network) return
  const held = 'select from passports where sheet = ? order by id for update'
  await work.trx.raw(`select count(*) from (${held}) as held`, [id])
}

const getSheetContent = ({ productFields, passportsFields, certifiedPaths, fields }: SheetContent): SheetContent => ({
  productFields,
  passportsFields,
  certifiedPaths,
  fields,
})

/**
 * Computes the content of a sheet after a patch, and validates the content if the patch changes any of it.
 * @throws INVALID_REQUEST
 * @throws VALIDATION_FAILED
 */
function applyContentPatch(sheet: SheetRow, patch: SheetPatch): SheetContent {
  const before = getSheetContent(sheet)
  if (isDeepStrictEqual(getSheetContent({ ...before, ...patch }), before)) return before
  const after = getSheetContent({ ...before, ...patch, fields: mergePatch(before.fields, patch.fields ?? {}) })
  assertConsistentSheet(after, patch.fields !== undefined)
  return patch.fields === undefined ? after : { ...after, fields: applyDefaults(after.productFields, after.fields) }
}

/**
 * Checks that a change is possible although passports of the sheet may be minted.
 * @throws DPP_PRODUCT_STATUS_FINAL
 * @throws DPP_PRODUCT_NETWORK_FIXED
 */
async function assertChangeableAfterMint(trx: Knex, sheet: SheetRow, { status, network }: SheetPatch): Promise<void> {
  const backToDraft = status === 'DRAFT' && sheet.status !== 'DRAFT'
  const moved = network !== undefined && network !== sheet.network
  if (!backToDraft && !moved) return
  if (!(await hasMinted(trx, sheet.id))) return
  if (backToDraft) {
    throw createProblem('DPP_PRODUCT_STATUS_FINAL', 'A sheet with minted passports cannot become DRAFT again.', {
      path: 'status',
    })
  }
  throw createProblem('DPP_PRODUCT_NETWORK_FIXED', 'The network of a sheet with minted passports is fixed.', {
    path: 'network',
  })
}

/**
 * Checks whether a passport of the sheet is minted. A pending mint counts, and so does a claim that will mint: neither
 * can be stopped any more.
 */
async function hasMinted(trx: Knex, sheet: string): Promise<boolean> {
  const {
    rows: [found],
  } = await trx.raw<{ rows: { minted: boolean }[] }>(
    `
    select exists (select from passports where sheet = :sheet and mint_queued_at is not null)
      or exists (select from claims where passport_sheet = :sheet and status <> 'failed') as minted
  `,
    { sheet },
  )
  return found?.minted === true
}

/**
 * Deletes a sheet without passports.
 * @returns the sheet before it was deleted
 * @throws NOT_FOUND
 * @throws PRECONDITION_FAILED
 * @throws DPP_PRODUCT_HAS_PASSPORTS
 */
export async function deleteSheet(work: Work, id: string, precondition: (shown: unknown) => void): Promise<SheetRow> {
  const { trx } = work
  const sheet = await readLockedSheet(work, id, 'forUpdate')
  precondition(presentSheet(sheet))
  const passport = (await trx('passports').where({ sheet: id }).first('id')) as unknown
  if (passport !== undefined)
    throw createProblem('DPP_PRODUCT_HAS_PASSPORTS', 'A sheet with passports cannot be deleted.')
  await deleteSheetRow(trx, id)
  return sheet
}
