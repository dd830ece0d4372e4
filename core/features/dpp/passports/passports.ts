import type { Knex } from 'knex'
import type { Caller, OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageResult, PageRequest } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { hasActiveClaim } from './claims.rules.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { getInsiderOrganization, presentPassport, maySeeAll } from './passports.present.ts'
import { listPassportRows, findVisiblePassport } from './passports.reads.ts'
import { assertWritable, findDeletionProblem } from './passports.rules.ts'
import type { Passport } from './passports.schema.ts'
import { deletePassportRows } from './store/passports.store.change.ts'

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

/** Reads a passport that everybody may read, with what a representation needs. @throws NOT_FOUND, also for a draft */
export async function readPublicPassport(db: Knex, id: string): Promise<PassportRow> {
  const row = await PassportRow.query(db).modify('shown').findById(id).whereNot('passports.status', 'draft')
  if (!row) throw createNotFoundProblem()
  return row
}

/**
 * Reads a passport of an application that everybody may read, with what a representation needs, and locks its row. A
 * buyer acts on it.
 * @returns undefined, also for a draft
 */
export async function findLockedPassport(trx: Knex, application: string, id: string): Promise<PassportRow | undefined> {
  return PassportRow.query(trx)
    .modify('shown')
    .findById(id)
    .where({ application })
    .whereNot('passports.status', 'draft')
    .forUpdate()
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

/** Reads a passport of the caller's organization with what a representation needs. @throws NOT_FOUND */
export async function readOwnShownPassport(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
): Promise<PassportRow> {
  const row = await PassportRow.query(trx).modify('shown').modify('ofOrganization', organization).findById(id)
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

/**
 * Reads those of these passports of an organization that are still there, and locks their rows in the order of ids, as
 * every writer of many passports does, so that two writers never wait for each other.
 */
export async function lockPassports(trx: Knex, organization: string, ids: readonly string[]): Promise<PassportRow[]> {
  return PassportRow.query(trx)
    .modify('shown')
    .modify('ofOrganization', organization)
    .whereRaw('passports.id = any(?::uuid[])', [ids as string[]])
    .orderBy('passports.id')
    .forUpdate()
}

/** Locks passports like `lockPassports` without reading their content. @returns the ids of those that are still there */
export async function lockPassportIds(trx: Knex, organization: string, ids: readonly string[]): Promise<string[]> {
  const rows = await PassportRow.query(trx)
    .select('passports.id')
    .modify('ofOrganization', organization)
    .whereRaw('passports.id = any(?::uuid[])', [ids as string[]])
    .orderBy('passports.id')
    .forUpdate()
  return rows.map(({ id }) => id)
}

export type Precondition = (representation: unknown) => void

/**
 * Deletes a passport that has no token and none on its way.
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
  const problem = findDeletionProblem(row, await hasActiveClaim(work.trx, id))
  if (problem) throw problem
  await deletePassportRows(work.trx, [id])
  await recordPassportEvents(work.trx, 'delete', [row])
  return presentPassport(row, 'owner')
}
