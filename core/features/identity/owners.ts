import type { Knex } from 'knex'
import type { Message, Post } from '../../kernel/parts.ts'

/** Owners of an organization who are written to; more than these have other ways to tell each other. */
const maxRecipients = 20

/** Writes a mail to the Owners of an organization, in the caller's transaction. */
export async function mailOwners(
  trx: Knex, post: Post, organization: string, message: Pick<Message, 'subject' | 'text'>,
): Promise<void> {
  const addresses = await trx('members as m').join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.organization_id': organization, 'm.role': 'owner' }).orderBy('m.id').limit(maxRecipients)
    .pluck<string[]>('u.email')
  for (const to of addresses) await post.send(trx, { to, channel: 'email', ...message })
}
