import type { Knex } from 'knex'
import {
  hashOperation,
  listExpiredParts,
  readBalances,
  reverseEntries,
  type ExpiredPart,
  type NewReversal,
  type OwnerBalance,
} from '../../../ledger/index.ts'
import type { PointsTarget } from './chain.ts'
import { expirePoints } from './due.ts'
import { createOperationId } from './grants.ts'
import { findOrdersByOperation, markReversed, readReversibleOrders, type OrderItem } from './orders.store.ts'
import type { PostedPoints, PostingContext } from './posting.ts'
import { findPlaces, recordPoints, type NewRecord, type Place } from './recording.ts'

/** Points of an order that are taken back: given, if the order took them, or taken, if it gave them. */
export interface PointsReversal {
  target: PointsTarget
  /** The id of the order that is taken back. */
  order: string
  /** Natural key of the act, such as the id of a refund: it happens once for an order. */
  key: string
  /** Above zero: of those that the order gave or took. */
  points: bigint
  occurredAt: Date
  reason?: string
  externalId?: string
  /** Decimal text. */
  amount?: string
  currency?: string
  items?: readonly OrderItem[]
}

/** A reversal with its place and the entry of its order. */
interface Planned extends Place {
  reversal: PointsReversal
  operation: string
  entry: string
}

/** What a step of a reversal has recorded. */
interface Progress {
  records: NewRecord[]
  /** Orders of which nothing is left. */
  reversed: Set<string>
}

/**
 * Takes back orders in the caller's transaction, each in whole or in part, by an order of kind `reverse` that the chain
 * gets too. What an order gave is taken out of its own lot first; what was spent of it leaves the balance below zero. What
 * an order took goes back to the lots it came from, and expires at once if their time is over. An order of which nothing
 * is left is `reversed`. The same key again changes nothing.
 * @returns one item a reversal, in their order
 * @throws ReversalLimitError beyond what is left of an order; the transaction must be rolled back
 * @throws TypeError for an order of another account, or of kind `reverse` or `expire`
 */
export async function reversePoints(
  trx: Knex,
  context: PostingContext,
  reversals: readonly PointsReversal[],
): Promise<PostedPoints[]> {
  if (reversals.length === 0) return []
  const entries = await readEntries(trx, reversals)
  const places = await findPlaces(trx, context, reversals)
  const planned = reversals.map((reversal, at): Planned => {
    const { target, order, key } = reversal
    const operation = createOperationId(target, 'reverse', `${order} ${key}`)
    return { ...places[at]!, reversal, operation, entry: entries.get(order)! }
  })
  const { records } = await expirePoints(trx, places)
  const progress: Progress = { records: [...records], reversed: new Set() }
  const known = await findOrdersByOperation(
    trx,
    planned.map(({ operation }) => operation),
  )
  const jobs = new Map(known.map(({ operation, job }) => [operation, job]))
  await returnExpired(
    trx,
    planned.filter(({ operation }) => !jobs.has(operation)),
    progress,
  )
  const results = await reverseEntries(trx, planned.map(createReversal))
  results.forEach((result, at) => {
    const { reversal, target, job } = planned[at]!
    if (result.status === 'posted') progress.records.push({ ...createRecord(reversal, result), target, job })
    if (result.left === 0n) progress.reversed.add(reversal.order)
  })
  // What went back to lots whose time is over expires again.
  const again = await expirePoints(trx, places)
  const balances = await readPlaces(trx, places)
  // What is taken back was promised before, and no limit keeps it from being put right.
  await recordPoints(trx, context, { records: [...progress.records, ...again.records], balances }, { isForced: true })
  await markReversed(trx, [...progress.reversed].sort())
  return results.map(({ status, operation, owner, amount }, at) => ({
    isNew: status === 'posted',
    operationId: operation,
    jobId: jobs.get(operation) ?? planned[at]!.job,
    points: amount,
    kind: 'reverse',
    optimisticBalance: balances.get(owner)!.amount,
  }))
}

/** Reads the entries of the orders that are taken back, by the id of the order. */
async function readEntries(trx: Knex, reversals: readonly PointsReversal[]): Promise<Map<string, string>> {
  const orders = await readReversibleOrders(trx, { ids: [...new Set(reversals.map(({ order }) => order))] })
  const byId = new Map(orders.map((order) => [order.id, order]))
  for (const { order, target } of reversals) {
    const found = byId.get(order)
    if (found?.account !== target.account || found.organization !== target.organization)
      throw new TypeError(`The account ${target.account} has no order ${order}`)
    if (found.kind === 'reverse' || found.kind === 'expire')
      throw new TypeError(`The order ${order} of kind ${found.kind} cannot be taken back`)
  }
  return new Map(orders.map(({ id, entry }) => [id, entry]))
}

/** Reads what the accounts of places have now, after all that was posted. */
async function readPlaces(trx: Knex, places: readonly Place[]): Promise<Map<string, OwnerBalance>> {
  const balances = new Map<string, OwnerBalance>()
  for (const [book, ofBook] of Map.groupBy(places, (place) => place.book.id)) {
    const accounts = [...new Set(ofBook.map(({ target }) => target.account))]
    for (const [account, balance] of await readBalances(trx, book, accounts)) balances.set(account, balance)
  }
  return balances
}

const createReversal = ({ book, target, operation, entry, reversal }: Planned): NewReversal => ({
  operation,
  kind: 'reverse',
  book,
  owner: target.account,
  entry,
  amount: reversal.points,
  occurredAt: reversal.occurredAt,
})

const createRecord = (
  { order, key: _key, target: _target, occurredAt: _at, points: _points, ...details }: PointsReversal,
  { amount, operation, entry }: { amount: bigint; operation: string; entry: string },
) => ({ ...details, kind: 'reverse' as const, points: amount, operation, entry, reverses: order })

/**
 * Gives back what has expired of the lots of the orders that are taken back, as far as they lack it: the account would
 * lose the same points twice otherwise.
 */
async function returnExpired(trx: Knex, planned: readonly Planned[], progress: Progress): Promise<void> {
  const parts = await listExpiredParts(trx, [...new Set(planned.map(({ entry }) => entry))])
  const returned = new Map<string, Planned>()
  const reversals: NewReversal[] = []
  for (const [entry, ofEntry] of Map.groupBy(parts, (part) => part.entry)) {
    const own = planned.filter((one) => one.entry === entry)
    const wanted = own.reduce((sum, { reversal }) => sum + reversal.points, 0n)
    for (const { expiry, amount } of takeParts(ofEntry, wanted - ofEntry[0]!.remaining)) {
      const operation = hashOperation([own[0]!.operation, 'expired', expiry])
      returned.set(operation, own[0]!)
      reversals.push({ ...createReversal(own[0]!), operation, entry: expiry, amount })
    }
  }
  const orders = await readReversibleOrders(trx, { entries: reversals.map(({ entry }) => entry) })
  const byEntry = new Map(orders.map(({ entry, id }) => [entry, id]))
  const results = await reverseEntries(trx, reversals)
  results.forEach((result, at) => {
    const { target, job } = returned.get(result.operation)!
    const { operation, entry, amount } = result
    const reverses = byEntry.get(reversals[at]!.entry)!
    progress.records.push({ target, job, kind: 'reverse', points: amount, operation, entry, reverses })
    if (result.left === 0n) progress.reversed.add(reverses)
  })
}

/** Takes an amount out of parts, the first before the others. */
function takeParts(parts: readonly ExpiredPart[], amount: bigint): ExpiredPart[] {
  let left = amount
  return parts.flatMap((part) => {
    const taken = part.amount < left ? part.amount : left
    if (taken <= 0n) return []
    left -= taken
    return [{ ...part, amount: taken }]
  })
}
