import type { Knex } from 'knex'

/** Dates the deletion of an organization back by so many days. */
export async function dateDeletionBack(db: Knex, organization: string, days: number): Promise<void> {
  await db('organizations')
    .where({ id: organization })
    .update({ deleted_at: db.raw('now() - make_interval(days => ?)', [days]) })
}

/** When the personal data of an organization was erased, or null; undefined if it does not exist. */
export async function readErasure(db: Knex, organization: string): Promise<Date | null | undefined> {
  const row = await db('organizations')
    .where({ id: organization })
    .first<{ erased_at: Date | null } | undefined>('erased_at')
  return row?.erased_at
}

/** Counts the keys of an organization that are not revoked. */
export async function countEnabledKeys(db: Knex, organization: string): Promise<number> {
  const [row] = await db('api_keys').where({ organization, enabled: true }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Makes a member's session begin so many hours ago. @param user e-mail address of the member */
export async function dateSessionsBack(db: Knex, user: string, hours: number): Promise<void> {
  await db('sessions')
    .whereIn('user_id', db('users').where({ email: user }).select('id'))
    .update({ created_at: db.raw('now() - make_interval(hours => ?)', [hours]) })
}
