import type { Knex } from 'knex'
import { mayActFor, getCallerOrganization, type Caller } from '../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { SheetRow } from './sheets.model.ts'
import { findSheetVersion } from './versions.ts'

export type { SheetRow }

/**
 * Reads a sheet of the caller's organization and keeps it from being changed or deleted until the transaction ends, so
 * that what is created from the sheet fits it.
 * @throws NOT_FOUND for a sheet that does not exist or belongs to another organization
 */
export function lockSheet(work: Work, id: string): Promise<SheetRow> {
  return readLockedSheet(work, id, 'forKeyShare')
}

/**
 * Reads a sheet of the caller's organization without a lock.
 * @throws NOT_FOUND for a sheet that does not exist or belongs to another organization
 */
export function readSheet(work: Work, id: string): Promise<SheetRow> {
  return readLockedSheet(work, id)
}

/**
 * Reads a sheet of the caller's organization, with or without a lock.
 * @throws NOT_FOUND for a sheet that does not exist or belongs to another organization
 */
export async function readLockedSheet(
  { trx, caller }: Work,
  id: string,
  lock?: 'forKeyShare' | 'forUpdate',
): Promise<SheetRow> {
  const organization = getCallerOrganization(caller)
  if (organization === null) throw createNotFoundProblem()
  const query = SheetRow.query(trx).findById(id).modify('ofOrganization', organization)
  if (lock) void query[lock]()
  const sheet = await query
  if (!sheet) throw createNotFoundProblem()
  return sheet
}

/** The maximum number of sheets that `listSheetChoices` lists. */
const maxSheetChoices = 500

/** Lists the sheets of an organization to choose from, in the order of their names, at most 500 of them. */
export async function listSheetChoices(
  trx: Knex,
  organization: string,
): Promise<Pick<SheetRow, 'id' | 'name' | 'status' | 'application'>[]> {
  return await SheetRow.query(trx)
    .modify('ofOrganization', organization)
    .select('id', 'name', 'status', 'application')
    .orderBy(['name', 'id'])
    .limit(maxSheetChoices)
}

/** What tells the passports of a sheet apart: its name, and the first of the fields that each of them fills. */
export interface SheetTitle {
  name: string
  /** Its key; null for a sheet without fields. */
  firstField: string | null
}

/** Reads the titles of these sheets, by id. */
export async function readSheetTitles(trx: Knex, ids: readonly string[]): Promise<Map<string, SheetTitle>> {
  const sheets = await trx('sheets')
    .whereIn('id', [...new Set(ids)])
    .select<{ id: string; name: string; first: string | null }[]>(
      'id',
      'name',
      trx.raw(`passports_fields -> 0 ->> 'name' as first`),
    )
  return new Map(sheets.map(({ id, name, first }) => [id, { name, firstField: first }]))
}

/** Reads the names of these sheets, by id. */
export async function readSheetNames(trx: Knex, ids: readonly string[]): Promise<Map<string, string>> {
  const sheets = await SheetRow.query(trx)
    .findByIds([...new Set(ids)])
    .select('id', 'name')
  return new Map(sheets.map(({ id, name }) => [id, name]))
}

/** Finds sheets of an organization by a part of their name. @returns their ids, at most `limit` */
export async function findSheetsByName(
  trx: Knex,
  organization: string,
  part: string,
  limit: number,
): Promise<string[]> {
  const sheets = await SheetRow.query(trx)
    .modify('ofOrganization', organization)
    .whereRaw(`sheets.name ilike ? escape '\\'`, [`%${part.replace(/[\\%_]/g, '\\$&')}%`])
    .orderBy('sheets.id', 'desc')
    .limit(limit)
    .select('sheets.id')
  return sheets.map(({ id }) => id)
}

/**
 * Reads a sheet that the caller may see; only its organization sees a draft.
 * @param version the version of the definitions; the present version by default
 * @throws NOT_FOUND for a sheet that the caller may not see, and for a version that does not exist
 */
export async function readVisibleSheet(trx: Knex, caller: Caller, id: string, version?: number): Promise<SheetRow> {
  const sheet = await SheetRow.query(trx).findById(id)
  if (!sheet || (sheet.status === 'DRAFT' && !mayActFor(caller, sheet.organization, 'dpp:read')))
    throw createNotFoundProblem()
  const requestedSheet = version === undefined ? sheet : await findSheetVersion(trx, sheet, version)
  if (!requestedSheet) throw createNotFoundProblem()
  return requestedSheet
}

/** Reads sheets by their ids, whosever they are. */
export async function readSheetsById(db: Knex, ids: readonly string[]): Promise<Map<string, SheetRow>> {
  const rows = await SheetRow.query(db).findByIds([...new Set(ids)])
  return new Map(rows.map((sheet) => [sheet.id, sheet]))
}
