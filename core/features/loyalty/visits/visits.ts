import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import { creditOwners, debitOwners, lockOwnBalance, readBalances, type Book } from '../../../ledger/index.ts'
import { recordActivity } from '../../accounts/index.ts'
import { createOperationId } from '../posting/index.ts'
import { rankAccounts } from './ranks.ts'
import { ensureVisitsBook, findVisitsBook, type VisitsPlace } from './visits.book.ts'

/** A visit of a person. */
export interface Visit {
  organization: string
  application: string
  account: string
  /** The point of sale, or else the restaurant. */
  place: string
  /** The day there, `YYYY-MM-DD`: an account has one visit a day at a place. */
  localDay: string
  /** A time in the future counts as now. */
  occurredAt: Date
}

/**
 * Records a visit in the caller's transaction, with the number of visits and the tier of the account, which counts
 * whatever the limits say: the visit has happened.
 * @returns whether it counted: an account that was at the place that day has the visit already
 */
export async function recordVisit(
  trx: Knex,
  context: Pick<Context, 'meters'>,
  { organization, application, account, place, localDay, occurredAt }: Visit,
): Promise<boolean> {
  const book = await ensureVisitsBook(trx, { organization, application })
  const operation = createOperationId({ organization, account }, 'visit', `${place} ${localDay}`)
  const happenedAt = new Date(Math.min(occurredAt.getTime(), Date.now()))
  const [posted] = await creditOwners(trx, [
    { operation, kind: 'visit', book, owner: account, amount: 1n, occurredAt: happenedAt },
  ])
  if (posted?.status !== 'posted') return false
  const figures = { account, visits: Number(posted.balance.amount), visitedAt: happenedAt, isActive: true }
  await recordActivity(trx, context, [figures], { isForced: true })
  await rankAccounts(trx, [account], 'visit')
  return true
}

/** The visits of an account, locked. */
export interface LockedVisits extends VisitsPlace {
  account: string
  book: Book
  visits: bigint
}

/** Locks the visits of an account until the end of the transaction. It comes before every lock of an account. */
export async function lockVisits(trx: Knex, of: VisitsPlace & { account: string }): Promise<LockedVisits> {
  const book = await ensureVisitsBook(trx, of)
  return { ...of, book, visits: (await lockOwnBalance(trx, book, of.account)).amount }
}

/**
 * Books what is missing to a number of visits, or what is too much, as one entry. The caller ranks the account afterwards.
 * @returns whether anything had to be booked
 * @throws QUOTA_EXCEEDED as `recordActivity` does
 */
export async function adjustVisits(
  trx: Knex,
  context: Pick<Context, 'meters'>,
  locked: LockedVisits,
  visits: number,
): Promise<boolean> {
  const { account, book } = locked
  const change = BigInt(visits) - locked.visits
  if (change === 0n) return false
  const operation = createOperationId(locked, 'adjust', `visits ${newId()}`)
  const entry = { operation, kind: 'adjust', book, owner: account, occurredAt: new Date() }
  const [posted] =
    change > 0n
      ? await creditOwners(trx, [{ ...entry, amount: change }])
      : await debitOwners(trx, [{ ...entry, amount: -change, mayGoBelowZero: false }])
  if (posted?.status !== 'posted') throw new Error(`The visits of ${account} could not be adjusted`)
  await recordActivity(trx, context, [{ account, visits, isActive: true }])
  return true
}

/** Reads how many visits accounts have, by the ledger. An account without any may be left out. */
export async function readVisitCounts(
  db: Knex,
  application: string,
  accounts: readonly string[],
): Promise<Map<string, bigint>> {
  const book = await findVisitsBook(db, application)
  const balances = book ? [...(await readBalances(db, book.id, accounts))] : []
  return new Map(balances.map(([account, { amount }]) => [account, amount]))
}
