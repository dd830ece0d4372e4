import type { Knex } from 'knex'
import type { MailContent } from '../../../kernel/ports/identity.ts'
import type { Context } from '../../../kernel/work.ts'
import { recordEvents } from '../../events/index.ts'

/**
 * Notifies an organization of a change of its identifier, in the caller's transaction: a mail to its owners and an
 * event for each of its applications.
 */
export async function notifyOwners(
  trx: Knex,
  { identity }: Pick<Context, 'identity'>,
  organization: string,
  mail: MailContent,
): Promise<void> {
  await identity.mailOwners(trx, organization, mail)
  const applications = await trx('applications').where({ organization }).orderBy('id').pluck<string[]>('id')
  await recordEvents(
    trx,
    applications.map((application) => ({ organization, application, subject: 'application', type: 'update' })),
  )
}
