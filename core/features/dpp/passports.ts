import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { UniqueViolationError, raw } from 'objection'
import type { Caller, OrganizationCaller } from '../../kernel/caller.ts'
import type { Listed, Page } from '../../kernel/page.ts'
import { mergePatch } from '../../kernel/merge.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { isTaken } from './claims.rules.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { insiderOf, presentPassport, presentPublicly, seesAll } from './passports.present.ts'
import { readList, readShown } from './passports.reads.ts'
import {
  duplicateReference, judgeCertifiedPaths, judgeValues, refuseInvalid, refuseReadOnly, storedValues,
} from './passports.rules.ts'
import type { Passport, PassportPatch } from './passports.schema.ts'
import { readSheet } from './sheets.ts'

/** The passport of the application that has this reference. */
export async function holderOf(db: Knex, application: string, reference: string | null): Promise<string | undefined> {
  const row = await db('passports').where({ application, reference }).first<{ id: string } | undefined>('id')
  return row?.id
}

/** The row with what its representation needs. */
async function shownPassport(db: Knex, id: string): Promise<PassportRow> {
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

function presentFor(caller: Caller, row: PassportRow): Passport {
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

type Precondition = (representation: unknown) => void

/**
 * Changes a passport. What changes nothing leaves no event.
 * @throws NOT_FOUND, VALIDATION_FAILED, DPP_PASSPORT_SOURCE_READ_ONLY, PRECONDITION_FAILED,
 * DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function updatePassport(
  work: Work, caller: OrganizationCaller, id: string, patch: PassportPatch, precondition: Precondition,
): Promise<Passport> {
  const row = await lockPassport(work, caller, id)
  const change = await judgedChange(work, row, patch)
  refuseReadOnly(row)
  precondition(presentFor(caller, row))
  if (Object.entries(change).every(([name, value]) => isDeepStrictEqual(value, row[name as keyof Change])))
    return presentPassport(row)
  await applyChange(work.trx, row, change)
  const changed = await shownPassport(work.trx, id)
  await recordPassportEvents(work.trx, 'update', [changed])
  return presentPassport(changed)
}

type Change = Partial<Pick<PassportRow, keyof PassportPatch & keyof PassportRow>>

async function judgedChange(work: Work, row: PassportRow, patch: PassportPatch): Promise<Change> {
  const { fields, status, ...others } = patch
  const change: Change = others
  const violations = []
  if (status !== undefined && status !== 'archived' && status !== row.status) {
    violations.push({
      path: 'status',
      code: 'transition',
      message: `a ${row.status} passport can only become archived here`,
    })
  } else if (status !== undefined) change.status = status
  if (fields !== undefined || others.certifiedPaths !== undefined) {
    const sheet = await readSheet(work, row.sheet)
    const merged = mergePatch(row.fields, fields ?? {})
    if (fields !== undefined) violations.push(...judgeValues(sheet, merged, 'fields'))
    violations.push(...judgeCertifiedPaths(sheet, others.certifiedPaths ?? []))
    if (fields !== undefined && violations.length === 0) change.fields = storedValues(sheet, merged)
  }
  refuseInvalid(violations)
  return change
}

async function applyChange(trx: Knex, { id, application, reference }: PassportRow, change: Change): Promise<void> {
  const write = (db: Knex) =>
    PassportRow.query(db)
      .findById(id)
      .patch({ ...change, updatedAt: raw('now()') })
  if (change.reference === undefined || change.reference === null || change.reference === reference)
    return void (await write(trx))
  const held = await holderOf(trx, application, change.reference)
  if (held !== undefined) throw duplicateReference(held)
  // Somebody may take the reference in between: a savepoint keeps the transaction usable to say who it was.
  const taken = await trx.transaction(async (savepoint) => { await write(savepoint) }).then(() => false, refusedAsTaken)
  if (taken) throw duplicateReference(await holderOf(trx, application, change.reference))
}

function refusedAsTaken(error: unknown): true {
  if (error instanceof UniqueViolationError && error.constraint === 'passports_reference_unique') return true
  throw error
}

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

