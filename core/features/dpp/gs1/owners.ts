import type { Knex } from 'knex'

/** The organization that owns a GTIN. */
export interface GtinOwner {
  organization: string
  /** Whether the operator has confirmed the owner. */
  confirmed: boolean
}

/**
 * Finds the owner of a GTIN: the organization that published it first, or that the operator assigned it to. Database
 * triggers write the owner when a passport is published.
 * @param gtin with 14 digits
 */
export async function findGtinOwner(db: Knex, gtin: string): Promise<GtinOwner | undefined> {
  return db('gtin_owners')
    .where({ gtin })
    .first<GtinOwner | undefined>('organization', db.raw('confirmed_at is not null as confirmed'))
}

/**
 * Checks whether another organization owns a GTIN.
 * @param gtin with 14 digits; null for none
 */
export async function isGtinOfAnother(db: Knex, organization: string, gtin: string | null): Promise<boolean> {
  const owner = gtin === null ? undefined : await findGtinOwner(db, gtin)
  return owner !== undefined && owner.organization !== organization
}
