import type { Knex } from 'knex'

/** Moves the end of an organization's links to its billing page to the past, as if 10 minutes had gone by. */
export async function endPortalLinks(db: Knex, organization: string): Promise<void> {
  await db.raw(`update billing_portal_links set expires_at = now() - interval '1 second' where organization = ?`, [
    organization,
  ])
}
