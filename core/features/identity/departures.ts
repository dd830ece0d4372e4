import type { Knex } from 'knex'
import type { AccountListener } from '../area.ts'
import { listAccountHolders } from '../accounts/index.ts'

/**
 * Ends the sessions that a person has in the application of a deleted account. A person whom nothing holds any more, no
 * other account, session or membership, is deleted too: their address and number are known to nobody here then.
 */
export const dismissPerson: AccountListener = async (trx, _context, { application, user }) => {
  await trx('sessions').where({ user_id: user, application, kind: 'endUser' }).delete()
  await deleteUnheldPersons(trx, [user])
}

/** Deletes those persons whom nothing holds: no account, session or membership, and who do not operate the platform. */
export async function deleteUnheldPersons(trx: Knex, users: readonly string[]): Promise<void> {
  if (users.length === 0) return
  // The lock keeps the persons from getting an account or a session between the checks and the deletion.
  await trx.raw('select from users where id = any(?::uuid[]) order by id for update', [users as string[]])
  const holders = await listAccountHolders(trx, users)
  await trx.raw(
    `delete from users where id = any(?::uuid[]) and not super_admin
       and not exists (select from members m where m.user_id = users.id)
       and not exists (select from sessions s where s.user_id = users.id)`,
    [users.filter((user) => !holders.includes(user))],
  )
}
