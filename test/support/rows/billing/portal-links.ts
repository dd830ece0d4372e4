import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Moves the end of an organization's links to its billing page to the past, as if 10 minutes had gone by. */
export async function endPortalLinks(db: Knex, organization: string): Promise<void> {
  await db.raw(`update billing_portal_links set expires_at = now() - interval '1 second' where organization = ?`, [
    organization,
  ])
}

/** Inserts links to the billing page that end at a time. */
export async function insertPortalLinks(
  db: Knex,
  { organization, count, expiresAt }: { organization: string; count: number; expiresAt: Date },
): Promise<void> {
  await db('billing_portal_links').insert(
    Array.from({ length: count }, () => ({
      id: v7(),
      organization,
      return_url: 'https://shop.example/account',
      expires_at: expiresAt,
    })),
  )
}
