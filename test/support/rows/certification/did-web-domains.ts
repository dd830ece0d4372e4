import type { Knex } from 'knex'

/** An hour longer than a check lasts, and than a document may be missing before others can take its domain. */
const moreThanDayMs = 25 * 3_600_000

/** Makes the last check of a domain 25 hours old, so that the upkeep checks the domain again. */
export async function ageDomainCheck(db: Knex, domain: string): Promise<void> {
  await db('did_web_domains')
    .where({ domain })
    .update({ checked_at: new Date(Date.now() - moreThanDayMs) })
}

/** Lets the DID document of a domain be missing for 25 hours. */
export async function ageMissingDocument(db: Knex, domain: string): Promise<void> {
  await db('did_web_domains')
    .where({ domain })
    .update({ missing_since: new Date(Date.now() - moreThanDayMs) })
}

/** Forgets the keys that were seen in the DID document of a domain, so that verifying fetches the document. */
export async function forgetPublishedKeys(db: Knex, domain: string): Promise<void> {
  await db('did_web_domains').where({ domain }).update({ published: [] })
}
