import type { Knex } from 'knex'

/** Whose a GTIN is. */
export interface GtinOwner {
  organization: string
  /** Whether the operator has decided that. */
  confirmed: boolean
}

/**
 * Finds whose a GTIN is: the organization's that published it first, or to whom the operator gave it. Triggers of the
 * database write it where passports are published. @param gtin with 14 digits
 */
export async function findGtinOwner(db: Knex, gtin: string): Promise<GtinOwner | undefined> {
  return db('gtin_owners').where({ gtin })
    .first<GtinOwner | undefined>('organization', db.raw('confirmed_at is not null as confirmed'))
}

/** Tells whether somebody else published this GTIN first. @param gtin with 14 digits, or null for none */
export async function isGtinOfAnother(db: Knex, organization: string, gtin: string | null): Promise<boolean> {
  const owner = gtin === null ? undefined : await findGtinOwner(db, gtin)
  return owner !== undefined && owner.organization !== organization
}
