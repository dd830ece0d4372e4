import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import type { AccountRow } from '../../accounts/index.ts'
import { readAnyApplication } from '../../applications/index.ts'
import type { OrganizationErasure } from '../../area.ts'
import { hashContact } from '../../identity/index.ts'
import { listContacts } from './contacts.ts'

/** The most points of a welcome bonus, so that it never lifts a new account above what one can have. */
const maxBonus = 10n ** 17n - 1n

/**
 * Returns the welcome bonus of a new account: what the settings of its application say, and nothing if one of its contacts
 * had the bonus there before. Otherwise a person could delete the account and sign in again for another one.
 */
export async function takeWelcomeBonus(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  { application, network, email, phone_number: phoneNumber }: AccountRow,
): Promise<bigint> {
  const { welcomeBonus = '0' } = (await readAnyApplication(trx, application)).loyaltySettings
  const bonus = BigInt(welcomeBonus)
  if (bonus === 0n) return 0n
  const hashes = listContacts({ email, phoneNumber }).map((contact) => hashContact(context, application, contact))
  const isNew = await insertWelcomes(trx, { application, network }, hashes)
  if (!isNew) return 0n
  return bonus < maxBonus ? bonus : maxBonus
}

/** Writes down who gets a bonus. @returns whether none of the hashes was there */
async function insertWelcomes(
  trx: Knex,
  { application, network }: Pick<AccountRow, 'application' | 'network'>,
  hashes: readonly string[],
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { contact: string }[] }>(
    `insert into loyalty_welcomes (application, network, contact)
     select ?::uuid, ?, contact from unnest(?::text[]) as given (contact) order by contact
     on conflict do nothing returning contact`,
    [application, network, hashes as string[]],
  )
  return rows.length === hashes.length
}

/** Deletes what tells who had a bonus in the applications of a deleted organization. */
export const eraseWelcomes: OrganizationErasure = ({ applications, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `delete from loyalty_welcomes where ctid = any(array(
         select ctid from loyalty_welcomes where application = any(?::uuid[]) limit ?))`,
      [applications as string[], limit],
    )
    return rowCount
  })
