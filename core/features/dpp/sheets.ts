import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { DryRun } from '../../kernel/dry-run.ts'
import { mergePatch } from '../../kernel/merge.ts'
import { problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { applyDefaults } from './fields.ts'
import { recertifySheet } from './recertify.ts'
import { presentSheet, SheetRow } from './sheets.model.ts'
import { findLocked } from './sheets.reads.ts'
import { refuseContradictions, type SheetContent } from './sheets.rules.ts'
import type { NewSheet, SheetPatch } from './sheets.schema.ts'
import { isCompatible, judgeConformance, type Conformance } from './versions/conformance.ts'
import { startMigration } from './versions/migration.ts'
import { definitionsOf, dryRunOf, keepVersion, refuseMisfits } from './versions/versions.ts'

/** @throws VALIDATION_FAILED, INVALID_REQUEST, NOT_FOUND for an application that is not the organization's */
export async function createSheet(work: Work, caller: OrganizationCaller, body: NewSheet): Promise<SheetRow> {
  const { productFields = [], passportsFields = [], certifiedPaths = [], fields = {} } = body
  refuseContradictions({ productFields, passportsFields, certifiedPaths, fields }, body.fields !== undefined)
  const application = await findApplication(work, body.application, { lock: 'forKeyShare' })
  const id = newId()
  await SheetRow.query(work.trx).insert({
    id,
    organization: caller.organization,
    application: application.id,
    network: body.network ?? application.defaultNetwork,
    name: body.name,
    status: body.status ?? 'DRAFT',
    productFields,
    passportsFields,
    certifiedPaths,
    fields: applyDefaults(productFields, fields),
  })
  return reread(work.trx, id)
}

async function reread(trx: Knex, id: string): Promise<SheetRow> {
  return SheetRow.query(trx).findById(id).throwIfNotFound()
}

/** What a change of a sheet came to: the sheet, the job that its passports are judged again by, or what would become of them. */
export type SheetChange = { sheet: SheetRow } | { job: string } | { dryRun: DryRun }

/** How a sheet is to be changed. */
export interface SheetChangeOptions { precondition: (shown: unknown) => void; dryRun: boolean }

/**
 * Applies a merge patch. Passports follow a changed network while none of them was minted; they keep the version of the
 * definitions that judged them. @throws VALIDATION_FAILED, NOT_FOUND, PRECONDITION_FAILED, DPP_PRODUCT_STATUS_FINAL,
 * DPP_PRODUCT_NETWORK_FIXED, DPP_PRODUCT_SCHEMA_IN_USE
 */
export async function updateSheet(
  work: Work, id: string, { migrate = false, ...patch }: SheetPatch, { precondition, dryRun }: SheetChangeOptions,
): Promise<SheetChange> {
  const { trx } = work
  if (patch.network !== undefined && !dryRun) await holdPassports(work, id, patch.network)
  const { sheet, conformance } = await holdSheet(work, id, patch, dryRun)
  const { name, network, status } = sheet
  const before = { name, network, status, ...contentOf(sheet) }
  const after = { ...before, ...patch, ...patchedContent(sheet, patch) }
  precondition(presentSheet(sheet))
  await refuseAfterMint(trx, sheet, patch)
  if (dryRun) return { dryRun: await dryRunOf(trx, sheet, conformance, migrate) }
  if (conformance && !migrate) refuseMisfits(conformance)
  if (!isDeepStrictEqual(before, after)) await writeSheet(work, sheet, before, after)
  return migrate ? { job: await startMigration(work, sheet) } : { sheet: await reread(trx, id) }
}

/**
 * The sheet, kept from being changed until the transaction ends; and how its passports stand to the definitions of a
 * patch, null where all of them fit. A dry run keeps nobody from changing it.
 */
async function holdSheet(
  work: Work, id: string, patch: SheetPatch, dryRun: boolean,
): Promise<{ sheet: SheetRow; conformance: Conformance | null }> {
  const hold = () => findLocked(work, id, dryRun ? undefined : 'forUpdate')
  if (patch.passportsFields === undefined && patch.productFields === undefined) return { sheet: await hold(), conformance: null }
  for (;;) {
    const seen = await findLocked(work, id)
    const after = patchedContent(seen, patch)
    let sheet: SheetRow | undefined
    const conformance = isCompatible(seen, after)
      ? null
      : await judgeConformance(work.trx, seen, after, async () => void (sheet = await hold()))
    sheet ??= await hold()
    // Somebody else changed it meanwhile: it is held now, so the next look is the last.
    if (dryRun || sheet.version === seen.version) return { sheet, conformance }
  }
}

type Written = Pick<SheetRow, 'name' | 'network' | 'status'> & SheetContent

async function writeSheet(work: Work, sheet: SheetRow, before: Written, after: Written): Promise<void> {
  const { trx } = work
  const { id, version } = sheet
  const schemaVersion = isDeepStrictEqual(definitionsOf(before), definitionsOf(after))
    ? sheet.schemaVersion
    : await keepVersion(trx, sheet)
  await SheetRow.query(trx).findById(id)
    .patch({ ...after, version: version + 1, schemaVersion, updatedAt: new Date().toISOString() })
  if (after.network !== before.network) {
    await trx('passports').where({ sheet: id }).update({ network: after.network, updated_at: trx.fn.now() })
  }
  const certified = ({ name, fields, certifiedPaths, passportsFields }: Written) =>
    ({ name, fields, certifiedPaths, passportsFields })
  if (!isDeepStrictEqual(certified(before), certified(after))) await recertifySheet(work, sheet)
}

/**
 * Before a change of network: waits for claims under way, so that they are seen, and keeps new ones waiting.
 * Passports are locked before their sheet because whoever changes a passport holds it first.
 */
async function holdPassports(work: Work, id: string, network: Network): Promise<void> {
  const sheet = await findLocked(work, id)
  if (network === sheet.network) return
  const held = 'select from passports where sheet = ? order by id for update'
  await work.trx.raw(`select count(*) from (${held}) as held`, [id])
}

const contentOf = ({ productFields, passportsFields, certifiedPaths, fields }: SheetContent): SheetContent =>
  ({ productFields, passportsFields, certifiedPaths, fields })

/** The content after the patch, judged if the patch touches any of it. */
function patchedContent(sheet: SheetRow, patch: SheetPatch): SheetContent {
  const before = contentOf(sheet)
  if (isDeepStrictEqual(contentOf({ ...before, ...patch }), before)) return before
  const after = contentOf({ ...before, ...patch, fields: mergePatch(before.fields, patch.fields ?? {}) })
  refuseContradictions(after, patch.fields !== undefined)
  return patch.fields === undefined ? after : { ...after, fields: applyDefaults(after.productFields, after.fields) }
}

/** @throws DPP_PRODUCT_STATUS_FINAL, DPP_PRODUCT_NETWORK_FIXED */
async function refuseAfterMint(trx: Knex, sheet: SheetRow, { status, network }: SheetPatch): Promise<void> {
  const backToDraft = status === 'DRAFT' && sheet.status !== 'DRAFT'
  const moved = network !== undefined && network !== sheet.network
  if (!backToDraft && !moved) return
  if (!await hasMinted(trx, sheet.id)) return
  if (backToDraft) {
    throw problem('DPP_PRODUCT_STATUS_FINAL', 'A sheet with minted passports cannot become DRAFT again.', {
      path: 'status',
    })
  }
  throw problem('DPP_PRODUCT_NETWORK_FIXED', 'The network of a sheet with minted passports is fixed.', {
    path: 'network',
  })
}

/** A mint on its way counts, and so does a claim that will mint: neither can be called back. */
async function hasMinted(trx: Knex, sheet: string): Promise<boolean> {
  const { rows: [found] } = await trx.raw<{ rows: { minted: boolean }[] }>(`
    select exists (select from passports where sheet = :sheet and mint_queued_at is not null)
      or exists (
        select from claims join passports on passports.id = claims.passport
        where sheet = :sheet and claims.status <> 'failed'
      ) as minted
  `, { sheet })
  return found?.minted === true
}

/** @returns the sheet as it was. @throws NOT_FOUND, DPP_PRODUCT_HAS_PASSPORTS */
export async function deleteSheet(work: Work, id: string, precondition: (shown: unknown) => void): Promise<SheetRow> {
  const { trx } = work
  const sheet = await findLocked(work, id, 'forUpdate')
  precondition(presentSheet(sheet))
  const passport = await trx('passports').where({ sheet: id }).first('id') as unknown
  if (passport !== undefined) throw problem('DPP_PRODUCT_HAS_PASSPORTS', 'A sheet with passports cannot be deleted.')
  await SheetRow.query(trx).deleteById(id)
  return sheet
}
