import type { Knex } from 'knex'

/** Inserts a domain of an organization whose document was seen with the organization's present keys. */
export async function insertActiveDomain(
  db: Knex,
  { organization, domain }: { organization: string; domain: string },
): Promise<void> {
  const now = new Date()
  await db('did_web_domains').insert({
    organization,
    domain,
    last_check: JSON.stringify({ status: 'ok', checkedAt: now }),
    state: 'active',
    proven_at: now,
    checked_at: now,
    published: db('certification_keys').where({ organization, status: 'active' }).select(db.raw('array_agg(id)')),
  })
}
