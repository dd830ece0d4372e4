import type { Knex } from 'knex'

/** Deletes the messages with this subject, which no message of another test has. @returns their ids */
export async function deleteMessagesAbout(db: Knex, subject: string): Promise<string[]> {
  const rows = await db('messages').where({ subject }).delete().returning<{ id: string }[]>('id')
  return rows.map(({ id }) => id)
}
