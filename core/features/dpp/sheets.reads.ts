import type { Knex } from 'knex'
import { mayActFor, organizationOf, type Caller } from '../../kernel/caller.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { SheetRow } from './sheets.model.ts'
import { sheetAsOf } from './versions/versions.ts'

export type { SheetRow }

/**
 * A sheet of the caller's organization, kept from being changed or deleted until the transaction ends, so that what is
 * made from it fits it. @throws NOT_FOUND for an absent or foreign one
 */
export function findSheet(work: Work, id: string): Promise<SheetRow> {
  return findLocked(work, id, 'forKeyShare')
}

/** A sheet of the caller's organization as it is now. @throws NOT_FOUND for an absent or foreign one */
export function readSheet(work: Work, id: string): Promise<SheetRow> {
  return findLocked(work, id)
}

/** The same, under a lock or none. @throws NOT_FOUND */
export async function findLocked({ trx, caller }: Work, id: string, lock?: 'forKeyShare' | 'forUpdate'): Promise<SheetRow> {
  const organization = organizationOf(caller)
  if (organization === null) throw notFound()
  const query = SheetRow.query(trx).findById(id).modify('ofOrganization', organization)
  if (lock) void query[lock]()
  const sheet = await query
  if (!sheet) throw notFound()
  return sheet
}

/**
 * A sheet that this caller may see: a draft is its organization's own. @param version of its definitions; those in force
 * unless stated @throws NOT_FOUND, of a version that it never had too
 */
export async function readVisibleSheet(trx: Knex, caller: Caller, id: string, version?: number): Promise<SheetRow> {
  const sheet = await SheetRow.query(trx).findById(id)
  if (!sheet || (sheet.status === 'DRAFT' && !mayActFor(caller, sheet.organization, 'dpp:read'))) throw notFound()
  const asked = version === undefined ? sheet : await sheetAsOf(trx, sheet, version)
  if (!asked) throw notFound()
  return asked
}
