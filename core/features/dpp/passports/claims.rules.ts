import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createProblem, type ProblemError } from '../../../kernel/problem.ts'
import { passportStatus } from './passports.machine.ts'
import type { PassportRow } from './passports.model.ts'
import { isSameEmail } from './passports.rules.ts'
import { SheetRow } from '../sheets/index.ts'
import { describeWithdrawal, findWithdrawal } from './withdrawals.ts'

/** Checks whether the buyer's verified e-mail or phone is the one that may claim the passport. */
export function mayClaim(
  caller: EndUserCaller,
  row: Pick<PassportRow, 'allowedClaimEmail' | 'allowedClaimPhoneNumber'>,
): boolean {
  const { allowedClaimEmail, allowedClaimPhoneNumber } = row
  const byEmail = caller.email !== null && allowedClaimEmail !== null && isSameEmail(caller.email, allowedClaimEmail)
  return byEmail || (caller.phoneNumber !== null && caller.phoneNumber === allowedClaimPhoneNumber)
}

/** Checks whether a claim of the passport is pending or completed. */
export async function hasActiveClaim(db: Knex, passport: string): Promise<boolean> {
  return (await db('claims').where({ passport }).whereNot({ status: 'failed' }).first('id')) !== undefined
}

/** Finds which of these passports have a claim that is pending or completed. */
export async function findClaimedPassports(db: Knex, passports: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db('claims')
    .whereRaw('passport = any(?::uuid[])', [passports as string[]])
    .whereNot({ status: 'failed' })
    .select<{ passport: string }[]>('passport')
  return new Set(rows.map(({ passport }) => passport))
}

/**
 * Checks that a passport can be claimed now: it is published; it is an item (in the product flow), or its sheet is
 * ACTIVE or UNLISTED; neither it nor its batch or model is revoked or suspended; and nobody is claiming it.
 * @throws DPP_PASSPORT_NOT_CLAIMABLE
 */
export async function assertClaimable(
  db: Knex,
  { id, status, sheet, product }: Pick<PassportRow, 'id' | 'status' | 'sheet' | 'product'>,
): Promise<void> {
  if (!passportStatus.canMove('claim', status)) throw createNotClaimableProblem(`it is ${status}`)
  if (product !== null && product['idGranularity'] !== 'item')
    throw createNotClaimableProblem('it is of no single item')
  if (sheet !== null) await assertSheetClaimable(db, sheet)
  const withdrawal = await findWithdrawal(db, id)
  if (withdrawal) throw createNotClaimableProblem(describeWithdrawal(withdrawal))
  if (await hasActiveClaim(db, id)) throw createNotClaimableProblem('somebody is claiming it')
}

async function assertSheetClaimable(db: Knex, sheet: string): Promise<void> {
  const found = await SheetRow.query(db).findById(sheet).select('status')
  if (found?.status !== 'ACTIVE' && found?.status !== 'UNLISTED')
    throw createNotClaimableProblem('its sheet is neither ACTIVE nor UNLISTED')
}

function createNotClaimableProblem(why: string): ProblemError {
  return createProblem('DPP_PASSPORT_NOT_CLAIMABLE', `The passport cannot be claimed: ${why}.`)
}
