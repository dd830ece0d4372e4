import type { Knex } from 'knex'

/** Forgets the context that was fetched from an address, so that it is fetched again at the next need. */
export async function forgetFetchedContext(db: Knex, address: string): Promise<void> {
  await db('credential_contexts').where({ address }).update({ address: null })
}
