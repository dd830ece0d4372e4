import type { Knex } from 'knex'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { OwnersMail } from '../../../kernel/ports/identity.ts'
import type { Messenger } from '../../../kernel/ports/messenger.ts'
import { consoleLanguages, negotiateLanguage } from '../../../kernel/text/languages.ts'

/** Maximum number of owners of an organization who receive a mail; a larger group can inform each other. */
const maxRecipients = 20

/** Sends a mail to the owners of an organization, in the caller's transaction. Owners of a deleted one get none. */
export async function mailOwners(trx: Knex, post: Messenger, organization: string, mail: OwnersMail): Promise<void> {
  const owners = await trx('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .join('organizations as o', 'o.id', 'm.organization_id')
    .where({ 'm.organization_id': organization, 'm.role': 'owner' })
    .whereNull('o.deleted_at')
    .orderBy('m.id')
    .limit(maxRecipients)
    .select<{ email: string; name: string; locale: string }[]>('u.email', 'o.name', 'o.locale')
  for (const { email, name, locale } of owners) {
    const wanted = negotiateLanguage(consoleLanguages, locale)
    const { language, content } =
      typeof mail === 'function'
        ? { language: wanted, content: mail({ name, language: wanted }) }
        : { language: 'en', content: mail }
    await post.sendMessage(trx, { to: email, channel: 'email', ...content, language, application: null })
  }
}

/**
 * Finds the owner who has been one for longest, in whose name keys act.
 * @throws NOT_FOUND if there is none, or if the organization was deleted
 */
export async function findFirstOwner(db: Knex, organization: string): Promise<string> {
  const owner = await db('members as m')
    .join('organizations as o', 'o.id', 'm.organization_id')
    .where({ 'm.organization_id': organization, 'm.role': 'owner' })
    .whereNull('o.deleted_at')
    .orderBy('m.id')
    .first<{ user_id: string } | undefined>('m.user_id')
  if (!owner) throw createNotFoundProblem()
  return owner.user_id
}
