import type { Knex } from 'knex'
import {
  expireDueLots,
  findDueOwners,
  readDueBalances,
  type ExpiredLot,
  type OwnerBalance,
} from '../../../ledger/index.ts'
import { pointsBookName } from './books.ts'
import type { NewRecord, Place } from './recording.ts'

/** What accounts have after their due lots were worked off, and the records of the lots that expired. */
export interface DuePoints {
  balances: Map<string, OwnerBalance>
  records: NewRecord[]
}

/**
 * Makes points active that waited, and expires those whose time is over, in the transaction of the caller, who records
 * what it returns. @param maxLots the most lots that expire
 */
export async function expirePoints(trx: Knex, places: readonly Place[], maxLots?: number): Promise<DuePoints> {
  const owners = places.map(({ book, target }) => ({ book, owner: target.account }))
  const { changed, expired } = await expireDueLots(trx, owners, maxLots === undefined ? {} : { maxLots })
  const byAccount = new Map(places.map((place) => [place.target.account, place]))
  return {
    balances: new Map(changed.map(({ owner, balance }) => [owner, balance])),
    records: expired.map((lot) => createExpiryRecord(byAccount.get(lot.owner)!, lot)),
  }
}

const createExpiryRecord = ({ target, job }: Place, { amount, entry, operation }: ExpiredLot): NewRecord => ({
  target,
  kind: 'expire',
  points: -amount,
  operation,
  entry,
  job,
})

/**
 * Works off what is due of the accounts of a posting. A debit locks their balances first in any case, so that nothing
 * becomes due before it; a credit does it only for an account that has something due.
 */
export async function expireBeforePosting(
  trx: Knex,
  places: readonly Place[],
  { isDebit }: { isDebit: boolean },
): Promise<DuePoints> {
  const owners = places.map(({ book, target }) => ({ book, owner: target.account }))
  if (!isDebit && (await findDueOwners(trx, owners)).size === 0) return { balances: new Map(), records: [] }
  return expirePoints(trx, places)
}

/**
 * Reads what accounts have, for those of whom points became active or expired since the sweep looked: the figures of all
 * others are right.
 */
export async function readDuePoints(db: Knex, accounts: readonly string[]): Promise<Map<string, OwnerBalance>> {
  const due = await readDueBalances(db, pointsBookName, accounts)
  return new Map(due.map(({ owner, balance }) => [owner, balance]))
}
