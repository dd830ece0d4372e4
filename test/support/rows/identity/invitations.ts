import type { Knex } from 'knex'

/** Lets an invitation end, as after its seven days. */
export async function endInvitation(db: Knex, id: string): Promise<void> {
  await db('invitations')
    .where({ id })
    .update({ expires_at: db.raw('now()') })
}
