import type { Knex } from 'knex'

/** Lists the tokens of a person's sessions as they are stored, which is what a thief of the table has. */
export async function listStoredTokens(db: Knex, email: string): Promise<string[]> {
  return db('sessions as s').join('users as u', 'u.id', 's.user_id').where('u.email', email).pluck<string[]>('s.token')
}
