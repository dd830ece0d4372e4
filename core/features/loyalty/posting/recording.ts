import type { Knex } from 'knex'
import type { NewPointsOperation } from '../../../chains/port.ts'
import type { Context } from '../../../kernel/work.ts'
import { ensureBook, type Book, type OwnerBalance } from '../../../ledger/index.ts'
import { recordActivity, recordFigures, type CountingOptions } from '../../accounts/index.ts'
import { readAnyApplication } from '../../applications/index.ts'
import { recordEvents } from '../../events/index.ts'
import { describePointsBook } from './books.ts'
import { createPointsOperation, type PointsTarget } from './chain.ts'
import { gatherJob } from './gathering.ts'
import { insertOrders, type OrderDetails, type OrderKind } from './orders.store.ts'

/** Where the points of an account are posted: the book, and the job that follows them on the chain. */
export interface Place {
  target: PointsTarget
  book: Book
  job: string
}

/** A new entry of the ledger, and what its order says about it. */
export interface NewRecord extends OrderDetails {
  target: PointsTarget
  kind: OrderKind
  /** Signed. */
  points: bigint
  operation: string
  entry: string
  job: string
}

/** An account had the reference of a posting already, with another kind of order. */
export class ReferenceTakenError extends Error {
  override name = 'ReferenceTakenError'
}

const getPlaceName = ({ application, network }: PointsTarget) => `${application} ${network}`

/**
 * Finds the book and the job of each target; one of each for an application on a network. Comes before balances are
 * locked, because it may wait for a gathering that closes.
 */
export async function findPlaces(
  trx: Knex,
  context: Pick<Context, 'queue'>,
  items: readonly { target: PointsTarget }[],
): Promise<Place[]> {
  const places = new Map<string, Omit<Place, 'target'>>()
  const targets = new Map(items.map(({ target }) => [getPlaceName(target), target]))
  for (const [name, target] of [...targets].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const book = await ensureBook(trx, describePointsBook(target))
    places.set(name, { book, job: await gatherJob(trx, context, target) })
  }
  return items.map(({ target }) => ({ target, ...places.get(getPlaceName(target))! }))
}

/**
 * Records what new entries of the ledger come to: their orders, the figures and the events of their accounts, which are
 * counted, and the operations that the chain gets.
 * @param balances what the accounts have now whose balances changed
 * @throws ReferenceTakenError if an account has a reference with another operation; the transaction must be rolled back
 * @throws QUOTA_EXCEEDED as `recordActivity` does
 */
export async function recordPoints(
  trx: Knex,
  context: Pick<Context, 'chains' | 'meters'>,
  { records, balances }: { records: readonly NewRecord[]; balances: ReadonlyMap<string, OwnerBalance> },
  options: CountingOptions = {},
): Promise<void> {
  await storeOrders(trx, context, records)
  const active = new Set(records.map(({ target }) => target.account))
  const figures = listFigures(balances).map((figure) => ({ ...figure, isActive: active.has(figure.account) }))
  await recordActivity(trx, context, figures, options)
  await recordWalletEvents(
    trx,
    records.map(({ target }) => target),
  )
  await queueOnChain(trx, context, records)
}

/** Records what accounts have now without a new entry, and an event for each of the targets. */
export async function recordBalances(
  trx: Knex,
  balances: ReadonlyMap<string, OwnerBalance>,
  targets: readonly EventTarget[],
): Promise<void> {
  await recordFigures(trx, listFigures(balances))
  await recordWalletEvents(trx, targets)
}

const listFigures = (balances: ReadonlyMap<string, OwnerBalance>) =>
  [...balances].map(([account, { amount: points, pending }]) => ({ account, points, pending }))

type EventTarget = Pick<PointsTarget, 'organization' | 'application'>

async function recordWalletEvents(trx: Knex, targets: readonly EventTarget[]): Promise<void> {
  await recordEvents(
    trx,
    targets.map(({ organization, application }) => ({
      organization,
      application,
      subject: 'wallet',
      type: 'update',
    })),
  )
}

async function storeOrders(
  trx: Knex,
  { chains }: Pick<Context, 'chains'>,
  records: readonly NewRecord[],
): Promise<void> {
  const orders = records.map(({ target: { organization, application, account, network }, ...details }) => {
    const hasChain = chains.performs(network, 'postPoints')
    return { ...details, organization, application, account, hasChain }
  })
  const inserted = await insertOrders(trx, orders)
  if (inserted.size < orders.length) throw new ReferenceTakenError('An account has the reference of another order')
}

async function queueOnChain(
  trx: Knex,
  { chains }: Pick<Context, 'chains'>,
  records: readonly NewRecord[],
): Promise<void> {
  const onChain = records.filter(({ target }) => chains.performs(target.network, 'postPoints'))
  const byApplication = Map.groupBy(onChain, ({ target }) => target.application)
  // In one order, because the first operation of an application inserts its contract, for which others may wait.
  for (const [application, ofApplication] of [...byApplication].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const known = ofApplication[0]?.target.applicationName
    const name = known ?? (await readAnyApplication(trx, application)).name
    await chains.queuePoints(trx, name, ofApplication.map(createOperation))
  }
}

const createOperation = ({ target, operation, points, job }: NewRecord): NewPointsOperation =>
  createPointsOperation(target, { operation, amount: points, job })
