import type { Knex } from 'knex'

/** Deletes an account and leaves its person signed in. */
export async function deleteAccount(db: Knex, id: string): Promise<void> {
  await db('sessions').where({ account: id }).update({ account: null })
  await db('accounts').where({ id }).delete()
}

/** Names the person of an account as they are called in its application. */
export async function nameAccount(db: Knex, id: string, name: string): Promise<void> {
  await db('accounts').where({ id }).update({ name })
}

/** Reads the person whose account it is. */
export async function readAccountUser(db: Knex, id: string): Promise<string> {
  const row = await db('accounts').where({ id }).first<{ user_id: string } | undefined>('user_id')
  if (!row) throw new Error(`There is no account ${id}`)
  return row.user_id
}

/** Stores what a person told one application of themselves. */
export async function describePerson(
  db: Knex,
  id: string,
  { birthDate, locale }: { birthDate: string; locale: string },
): Promise<void> {
  await db('accounts').where({ id }).update({ birth_date: birthDate, locale })
}

/** Takes the person from an account, as an erasure of that person does. */
export async function removePerson(db: Knex, id: string): Promise<void> {
  await db('accounts').where({ id }).update({ user_id: null, name: null, birth_date: null, locale: null })
}
