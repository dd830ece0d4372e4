import type { Knex } from 'knex'

/** Writes a home page that the API refuses, as an earlier version took it. */
export async function writeUncheckedWebsite(db: Knex, id: string, url: string): Promise<void> {
  await db('applications').where({ id }).update({ website_url: url })
}
