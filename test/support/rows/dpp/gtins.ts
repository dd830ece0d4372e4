import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/** Checks whether any organization owns a GTIN, also one that no command takes. */
export async function hasGtinOwner(db: Knex, gtin: string): Promise<boolean> {
  return (await db('gtin_owners').where({ gtin }).first('gtin')) !== undefined
}

/** GTINs of one organization that another one contests. */
export interface ContestedGtins {
  owner: string
  contestant: string
  contested: readonly string[]
  /** Those that the owner has and nobody contests. */
  others: readonly string[]
}

/**
 * Inserts GTINs with their owner and contests: a thousand would take minutes through the API.
 * @returns the function that deletes them, so that the operator's list is as short as before
 */
export async function insertContestedGtins(
  db: Knex,
  { owner, contestant, contested, others }: ContestedGtins,
): Promise<() => Promise<void>> {
  const gtins = [...contested, ...others]
  await db.batchInsert(
    'gtin_owners',
    gtins.map((gtin) => ({ gtin, organization: owner })),
  )
  await db.batchInsert(
    'gtin_contests',
    contested.map((gtin) => ({ id: randomUUID(), gtin, organization: contestant })),
  )
  return async () => {
    await db('gtin_contests').where({ organization: contestant }).delete()
    await db('gtin_owners').whereIn('gtin', gtins).delete()
  }
}
