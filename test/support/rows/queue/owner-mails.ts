import type { Knex } from 'knex'

/**
 * Lists the subjects of the mails to the Owners of an organization, oldest first, also of those that no courier has
 * sent yet.
 */
export async function listOwnerMails(db: Knex, organization: string): Promise<string[]> {
  const owners = await db('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.organization_id': organization, 'm.role': 'owner' })
    .pluck<string[]>('u.email')
  if (owners.length === 0) throw new Error(`The organization ${organization} has no Owner`)
  return db('messages').whereIn('recipient', owners).orderBy('created_at').pluck<string[]>('subject')
}
