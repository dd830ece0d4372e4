import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import { mayActFor, organizationOf, type Caller, type OrganizationCaller } from '../../kernel/caller.ts'
import { mergePatch } from '../../kernel/merge.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { applyDefaults } from './fields.ts'
import { recertifySheet } from './recertify.ts'
import { presentSheet, SheetRow } from './sheets.model.ts'
import { refuseContradictions, type SheetContent } from './sheets.rules.ts'
import type { NewSheet, SheetPatch } from './sheets.schema.ts'

export type { SheetRow }

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

/**
 * A sheet of the caller's organization, kept from being changed or deleted until the transaction ends, so that what is
 * made from it fits it. @throws NOT_FOUND for an absent or foreign one
 */
export function findSheet(work: Work, id: string): Promise<SheetRow> {
  return find(work, id, 'forKeyShare')
}

/** A sheet of the caller's organization as it is now. @throws NOT_FOUND for an absent or foreign one */
export function readSheet(work: Work, id: string): Promise<SheetRow> {
  return find(work, id)
}

async function find({ trx, caller }: Work, id: string, lock?: 'forKeyShare' | 'forUpdate'): Promise<SheetRow> {
  const organization = organizationOf(caller)
  if (organization === null) throw notFound()
  const query = SheetRow.query(trx).findById(id).modify('ofOrganization', organization)
  if (lock) void query[lock]()
  const sheet = await query
  if (!sheet) throw notFound()
  return sheet
}

/** A sheet that this caller may see: a draft is its organization's own. @throws NOT_FOUND */
export async function readVisibleSheet(trx: Knex, caller: Caller, id: string): Promise<SheetRow> {
  const sheet = await SheetRow.query(trx).findById(id)
  if (!sheet || (sheet.status === 'DRAFT' && !mayActFor(caller, sheet.organization, 'dpp:read'))) throw notFound()
  return sheet
}

/**
 * Applies a merge patch. Passports follow a changed network while none of them was minted; they are not judged again by
 * changed definitions.
 * @throws VALIDATION_FAILED, NOT_FOUND, PRECONDITION_FAILED, DPP_PRODUCT_STATUS_FINAL, DPP_PRODUCT_NETWORK_FIXED
 */
export async function updateSheet(
  work: Work, id: string, patch: SheetPatch, precondition: (shown: unknown) => void,
): Promise<SheetRow> {
  const { trx } = work
  if (patch.network !== undefined) await holdPassports(work, id, patch.network)
  const sheet = await find(work, id, 'forUpdate')
  const { name, network, status } = sheet
  const before = { name, network, status, ...contentOf(sheet) }
  const after = { ...before, ...patch, ...patchedContent(sheet, patch) }
  precondition(presentSheet(sheet))
  await refuseAfterMint(trx, sheet, patch)
  if (isDeepStrictEqual(before, after)) return sheet
  const version = sheet.version + 1
  await SheetRow.query(trx).findById(id).patch({ ...after, version, updatedAt: new Date().toISOString() })
  if (after.network !== network) {
    await trx('passports').where({ sheet: id }).update({ network: after.network, updated_at: trx.fn.now() })
  }
  const certified = ({ name, fields, certifiedPaths, passportsFields }: typeof before) =>
    ({ name, fields, certifiedPaths, passportsFields })
  if (!isDeepStrictEqual(certified(before), certified(after))) await recertifySheet(work, sheet)
  return reread(trx, id)
}

/**
 * Before a change of network: waits for claims under way, so that they are seen, and keeps new ones waiting.
 * Passports are locked before their sheet because whoever changes a passport holds it first.
 */
async function holdPassports(work: Work, id: string, network: Network): Promise<void> {
  const sheet = await find(work, id)
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
  const sheet = await find(work, id, 'forUpdate')
  precondition(presentSheet(sheet))
  const passport = await trx('passports').where({ sheet: id }).first('id') as unknown
  if (passport !== undefined) throw problem('DPP_PRODUCT_HAS_PASSPORTS', 'A sheet with passports cannot be deleted.')
  await SheetRow.query(trx).deleteById(id)
  return sheet
}
