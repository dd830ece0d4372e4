import type { Knex } from 'knex'
import type { Message } from '../../../kernel/parts.ts'
import type { Context } from '../../../kernel/work.ts'
import { recordEvents } from '../../events/index.ts'

/**
 * Tells an organization of something that happened to its identifier: a mail to its Owners, and an event of each of its
 * applications, in the caller's transaction.
 */
export async function notifyOwners(
  trx: Knex, { identity }: Pick<Context, 'identity'>, organization: string, message: Pick<Message, 'subject' | 'text'>,
): Promise<void> {
  await identity.mailOwners(trx, organization, message)
  const applications = await trx('applications').where({ organization }).orderBy('id').pluck<string[]>('id')
  await recordEvents(trx, applications.map((application) => ({ organization, application, subject: 'application', type: 'update' })))
}
