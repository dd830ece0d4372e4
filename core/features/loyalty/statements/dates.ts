import type { Knex } from 'knex'
import { readLotDates, type LotDates } from '../../../ledger/index.ts'
import { pointsBookName } from '../posting/index.ts'

/** Days within which points count as expiring soon, and the most instants that are told. */
const soonDays = 60
const maxInstants = 10

/**
 * Reads which points of an account become usable later, and which expire within 60 days. The caller has checked that it
 * may see the account.
 */
export const readPointDates = (db: Knex, account: string): Promise<LotDates> =>
  readLotDates(db, account, pointsBookName, { days: soonDays, limit: maxInstants })
