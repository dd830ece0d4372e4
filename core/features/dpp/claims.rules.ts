import type { Knex } from 'knex'
import type { EndUserCaller } from '../../kernel/caller.ts'
import { problem, type Problem } from '../../kernel/problem.ts'
import type { PassportRow } from './passports.model.ts'
import { sameEmail } from './passports.rules.ts'
import { SheetRow } from './sheets.model.ts'
import { describeWithdrawal, withdrawalOf } from './withdrawals/withdrawals.ts'

/** Whether the buyer's verified e-mail or phone is the one that the passport may be claimed by. */
export function mayClaim(
  caller: EndUserCaller,
  row: Pick<PassportRow, 'allowedClaimEmail' | 'allowedClaimPhoneNumber'>,
): boolean {
  const { allowedClaimEmail, allowedClaimPhoneNumber } = row
  const byEmail = caller.email !== null && allowedClaimEmail !== null && sameEmail(caller.email, allowedClaimEmail)
  return byEmail || (caller.phoneNumber !== null && caller.phoneNumber === allowedClaimPhoneNumber)
}

/** Whether a claim of the passport is on its way or done. */
export async function isTaken(db: Knex, passport: string): Promise<boolean> {
  return await db('claims').where({ passport }).whereNot({ status: 'failed' }).first('id') !== undefined
}

/**
 * Refuses a passport that nobody can claim now: one that is not published, no item, of a sheet that is neither ACTIVE
 * nor UNLISTED, revoked or suspended by itself, by its batch or by its model, or being claimed.
 * @throws DPP_PASSPORT_NOT_CLAIMABLE
 */
export async function refuseUnclaimable(
  db: Knex,
  { id, status, sheet, product }: Pick<PassportRow, 'id' | 'status' | 'sheet' | 'product'>,
): Promise<void> {
  if (status !== 'published') throw unclaimable(`it is ${status}`)
  if (product !== null && product['idGranularity'] !== 'item') throw unclaimable('it is of no single item')
  if (sheet !== null) await refuseUnclaimableSheet(db, sheet)
  const withdrawal = await withdrawalOf(db, id)
  if (withdrawal) throw unclaimable(describeWithdrawal(withdrawal))
  if (await isTaken(db, id)) throw unclaimable('somebody is claiming it')
}

async function refuseUnclaimableSheet(db: Knex, sheet: string): Promise<void> {
  const found = await SheetRow.query(db).findById(sheet).select('status')
  if (found?.status !== 'ACTIVE' && found?.status !== 'UNLISTED')
    throw unclaimable('its sheet is neither ACTIVE nor UNLISTED')
}

function unclaimable(why: string): Problem {
  return problem('DPP_PASSPORT_NOT_CLAIMABLE', `The passport cannot be claimed: ${why}.`)
}
