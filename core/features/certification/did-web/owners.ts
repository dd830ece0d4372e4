import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { recordEvents } from '../../events/index.ts'

/**
 * Tells an organization of something that happened to its identifier: a mail to each Owner, and an event of each of its
 * applications, in the caller's transaction.
 */
export async function notifyOwners(
  trx: Knex, { post }: Pick<Context, 'post'>, organization: string, { subject, text }: { subject: string; text: string },
): Promise<void> {
  const owners = await trx('members as m').join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.organization_id': organization, 'm.role': 'owner' }).orderBy('u.email').pluck<string[]>('u.email')
  for (const to of owners) await post.send(trx, { to, channel: 'email', subject, text })
  const applications = await trx('applications').where({ organization }).orderBy('id').pluck<string[]>('id')
  await recordEvents(trx, applications.map((application) => ({ organization, application, subject: 'application', type: 'update' })))
}
