import type { Knex } from 'knex'
import type { Caller, OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageResult, PageRequest } from '../../../kernel/page.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { hasActiveClaim } from './claims.rules.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { getInsiderOrganization, presentPassport, maySeeAll } from './passports.present.ts'
import { listPassportRows, findVisiblePassport } from './passports.reads.ts'
import { assertWritable } from './passports.rules.ts'
import type { Passport } from './passports.schema.ts'
import { deletePassportRow } from './store/passports.store.change.ts'

/** Reads a row with the related values that its representation needs. */
export async function readShownPassport(db: Knex, id: string): Promise<PassportRow> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row) throw new Error(`Passport ${id} is gone`)
  return row
}

/**
 * Reads a passport as the caller may see it.
 * @throws NOT_FOUND, also for a draft of another organization
 */
export async function readPassport({ context }: Work, caller: Caller, id: string): Promise<Passport> {
  const shown = await findVisiblePassport(context.directDatabase, id, getInsiderOrganization(caller))
  if (!shown) throw createNotFoundProblem()
  return shown
}

/**
 * Reads a passport of the caller's organization.
 * @throws NOT_FOUND
 */
export async function readOwnPassport(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
): Promise<PassportRow> {
  const row = await PassportRow.query(trx).modify('ofOrganization', organization).findById(id)
  if (!row) throw createNotFoundProblem()
  return row
}

/** Presents a passport as the caller may see it. */
export function presentFor(caller: Caller, row: PassportRow): Passport {
  return presentPassport(row, maySeeAll(caller, row) ? 'owner' : 'public')
}

export function listPassports(
  { context }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Passport>> {
  return listPassportRows(context.directDatabase, organization, page)
}

/**
 * Reads a passport of the caller's organization and locks its row.
 * @throws NOT_FOUND
 */
export async function lockPassport(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
): Promise<PassportRow> {
  const row = await PassportRow.query(trx)
    .modify('shown')
    .modify('ofOrganization', organization)
    .findById(id)
    .forUpdate()
  if (!row) throw createNotFoundProblem()
  return row
}

export type Precondition = (representation: unknown) => void

/**
 * Deletes a passport that has no token and none on its way. A mint that waits for its signature counts as signed,
 * because it cannot be stopped any more.
 * @returns the passport before it was deleted
 * @throws NOT_FOUND
 * @throws PRECONDITION_FAILED
 * @throws DPP_PASSPORT_SOURCE_READ_ONLY
 * @throws DPP_PASSPORT_ALREADY_MINTED
 */
export async function deletePassport(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<Passport> {
  const row = await lockPassport(work, caller, id)
  assertWritable(row)
  precondition(presentFor(caller, row))
  if (row.mintQueuedAt !== null || (await hasActiveClaim(work.trx, id))) {
    throw createProblem(
      'DPP_PASSPORT_ALREADY_MINTED',
      'The passport cannot be deleted: its token is minted, or about to be.',
    )
  }
  await deletePassportRow(work.trx, id)
  await recordPassportEvents(work.trx, 'delete', [row])
  return presentPassport(row, 'owner')
}
