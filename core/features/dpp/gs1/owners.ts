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
 * @param gtin with 14 digits
 */
export async function isGtinOfAnother(db: Knex, organization: string, gtin: string): Promise<boolean> {
  const owner = await findGtinOwner(db, gtin)
  return owner !== undefined && owner.organization !== organization
}

/**
 * Finds which of these GTINs another organization owns.
 * @param gtins each with 14 digits
 */
export async function findGtinsOfOthers(
  db: Knex,
  organization: string,
  gtins: readonly string[],
): Promise<ReadonlySet<string>> {
  if (gtins.length === 0) return new Set()
  const rows = await db('gtin_owners')
    .whereRaw('gtin = any(?::text[])', [gtins as string[]])
    .whereNot({ organization })
    .select<{ gtin: string }[]>('gtin')
  return new Set(rows.map(({ gtin }) => gtin))
}
