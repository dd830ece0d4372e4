import type { AccountListener } from '../area.ts'
import { hasAccountAnywhere } from '../accounts/index.ts'

/**
 * Ends the sessions that a person has in the application of a deleted account. A person whom nothing holds any more, no
 * other account, session or membership, is deleted too: their address and number are known to nobody here then.
 */
export const dismissPerson: AccountListener = async (trx, _context, { application, user }) => {
  await trx('sessions').where({ user_id: user, application, kind: 'endUser' }).delete()
  // The lock keeps the person from getting an account or a session between the checks and the deletion.
  await trx.raw('select from users where id = ? for update', [user])
  if (await hasAccountAnywhere(trx, user)) return
  await trx.raw(
    `delete from users where id = ? and not super_admin
       and not exists (select from members m where m.user_id = users.id)
       and not exists (select from sessions s where s.user_id = users.id)`,
    [user],
  )
}
