import type { Knex } from 'knex'
import type { Message, Messenger } from '../../../kernel/ports/messenger.ts'

/** Maximum number of owners of an organization who receive a mail; a larger group can inform each other. */
const maxRecipients = 20

/** Sends a mail to the owners of an organization, in the caller's transaction. */
export async function mailOwners(
  trx: Knex,
  post: Messenger,
  organization: string,
  message: Pick<Message, 'subject' | 'text'>,
): Promise<void> {
  const addresses = await trx('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.organization_id': organization, 'm.role': 'owner' })
    .orderBy('m.id')
    .limit(maxRecipients)
    .pluck<string[]>('u.email')
  for (const to of addresses) await post.sendMessage(trx, { to, channel: 'email', ...message })
}
