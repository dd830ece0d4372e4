import type { Knex } from 'knex'
import type { Caller, OrganizationCaller } from '../../kernel/caller.ts'
import type { Listed, Page } from '../../kernel/page.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { isTaken } from './claims.rules.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { insiderOf, presentPassport, presentPublicly, seesAll } from './passports.present.ts'
import { readList, readShown } from './passports.reads.ts'
import { refuseReadOnly } from './passports.rules.ts'
import type { Passport } from './passports.schema.ts'

/** The row with what its representation needs. */
export async function shownPassport(db: Knex, id: string): Promise<PassportRow> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row) throw new Error(`Passport ${id} is gone`)
  return row
}

/** One passport, as this caller may see it. @throws NOT_FOUND for a draft of another organization too */
export async function readPassport({ context }: Work, caller: Caller, id: string): Promise<Passport> {
  const shown = await readShown(context.direct, id, insiderOf(caller))
  if (!shown) throw notFound()
  return shown
}

/** A passport of the caller's organization. @throws NOT_FOUND */
export async function readOwnPassport(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
): Promise<PassportRow> {
  const row = await PassportRow.query(trx).modify('ofOrganization', organization).findById(id)
  if (!row) throw notFound()
  return row
}

/** As this caller may see it. */
export function presentFor(caller: Caller, row: PassportRow): Passport {
  return seesAll(caller, row) ? presentPassport(row) : presentPublicly(row)
}

/** The organization's passports. */
export function listPassports({ context }: Work, { organization }: OrganizationCaller, page: Page): Promise<Listed<Passport>> {
  return readList(context.direct, organization, page)
}

/** A passport of the caller's organization, its row locked. @throws NOT_FOUND */
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
  if (!row) throw notFound()
  return row
}

export type Precondition = (representation: unknown) => void

/**
 * Deletes a passport that has no token and none on its way. A mint that waits for its signature counts as signed:
 * it cannot be called back. @returns the passport as it was
 */
export async function deletePassport(
  work: Work, caller: OrganizationCaller, id: string, precondition: Precondition,
): Promise<Passport> {
  const row = await lockPassport(work, caller, id)
  refuseReadOnly(row)
  precondition(presentFor(caller, row))
  if (row.mintQueuedAt !== null || await isTaken(work.trx, id)) {
    throw problem('DPP_PASSPORT_ALREADY_MINTED', 'The passport cannot be deleted: its token is minted, or about to be.')
  }
  await PassportRow.query(work.trx).deleteById(id)
  await recordPassportEvents(work.trx, 'delete', [row])
  return presentPassport(row)
}
