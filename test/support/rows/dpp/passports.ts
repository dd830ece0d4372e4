import type { Knex } from 'knex'

/** What passports have come to. */
export interface PassportProgress {
  status: 'published' | 'claimed' | 'archived'
  /** Whether their tokens were minted. */
  isMinted?: boolean
}

/** Brings passports to a status without a job and without a chain, for which a test of many cannot wait. */
export async function advancePassports(
  db: Knex,
  ids: readonly string[],
  { status, isMinted = false }: PassportProgress,
): Promise<void> {
  const now = new Date()
  await db('passports')
    .whereIn('id', ids)
    .update({ status, ...(isMinted && { minted_at: now, mint_queued_at: now }) })
}

/** Hands a passport to a shop: it is read-only here from now on. */
export async function handPassportToShop(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ source: 'ecommerce' })
}
