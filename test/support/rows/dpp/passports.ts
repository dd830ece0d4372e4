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
