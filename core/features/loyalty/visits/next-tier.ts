import type { Knex } from 'knex'
import { readRemainders } from '../../../ledger/index.ts'
import { readAnyApplication } from '../../applications/index.ts'
import { listTiers } from '../tiers/index.ts'
import { findVisitsBook } from './visits.book.ts'
import { readVisitCounts } from './visits.ts'

/** The tier that an account reaches next, and how many visits are missing. */
export interface NextTier {
  name: string
  missing: number
}

/** Finds the tier that an account reaches next by visits that count today; null if it has the highest. */
export async function findNextTier(
  db: Knex,
  { account, application }: { account: string; application: string },
): Promise<NextTier | null> {
  const tiers = await listTiers(db, application)
  if (tiers.length === 0) return null
  const visits = await countVisits(db, { account, application })
  const next = tiers.findLast(({ requiredVisits }) => requiredVisits > visits)
  return next ? { name: next.name, missing: next.requiredVisits - visits } : null
}

/** Counts the visits of an account that count today: within the window of its application if that has one. */
async function countVisits(
  db: Knex,
  { account, application }: { account: string; application: string },
): Promise<number> {
  const { visitsWindowDays: days } = (await readAnyApplication(db, application)).loyaltySettings
  if (days === undefined) return Number((await readVisitCounts(db, application, [account])).get(account) ?? 0n)
  const book = await findVisitsBook(db, application)
  if (!book) return 0
  const remainders = await readRemainders(db, { book: book.id, owners: [account], days, levels: [] })
  return Number(remainders.get(account)?.remaining ?? 0n)
}
