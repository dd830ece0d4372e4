import type { Knex } from 'knex'

/** Ends the time of the newest session of a person a second ago: nobody waits for its days. */
export async function expireNewestSession(db: Knex, email: string): Promise<void> {
  const newest = selectSessions(db, email).orderBy('created_at', 'desc').limit(1).select('id')
  await db('sessions')
    .whereIn('id', newest)
    .update({ expires_at: db.raw(`now() - interval '1 second'`) })
}

/** Counts the rows of a person's sessions, of which no list shows those that have ended. */
export async function countSessionRows(db: Knex, email: string): Promise<number> {
  const [row] = await selectSessions(db, email).count<{ count: string }[]>('*')
  return Number(row?.count)
}

const selectSessions = (db: Knex, email: string) =>
  db('sessions').whereIn('user_id', db('users').where({ email }).select('id'))
