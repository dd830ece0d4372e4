import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { lockOwnBalances } from '../../../ledger/index.ts'
import {
  createOperationId,
  findPlaces,
  postPoints,
  readOrders,
  reversePoints,
  type PointsTarget,
} from '../posting/index.ts'
import { ensureVisitsBook, readEarningRule, recordVisit } from '../visits/index.ts'
import { countPoints, countTaken, subtractAmounts } from './decimals.ts'

/** What an account has is below this. */
const maxPoints = 10n ** 18n

/** An order of a customer, as the system reported it where they paid. Amounts are decimal text. */
export interface PaidOrder {
  target: PointsTarget
  /** Natural key: an account earns once by it. */
  key: string
  /** The identifier that the other system gave it. */
  externalId: string
  /** Net of discounts and tips, with tax. */
  total: string
  currency: string
  items: readonly { sku?: string; name: string; quantity: number; unitPrice: string }[]
  closedAt: Date
  pointOfSale: string | null
  /** The point of sale, or else the restaurant. */
  place: string
  /** The day there, `YYYY-MM-DD`. */
  localDay: string
}

/**
 * Why an order earns nothing: no ratio is set, it was paid in another currency than the application's, or it would give more
 * than an account can have.
 */
export type SkipReason = 'no_ratio' | 'currency' | 'too_many_points'

/** What an order earned. Without a whole point there is a visit, and no order of points. */
export type Earned =
  { status: 'earned'; points: bigint; order: string | null } | { status: 'skipped'; reason: SkipReason }

/**
 * Gives an account the points of an order, by the ratio that it has now, and the visit. The rule is kept on the order of
 * points. The same key again changes nothing. The customer has paid: their account counts whatever the limits say.
 */
export async function earnPoints(trx: Knex, context: Context, paid: PaidOrder): Promise<Earned> {
  const rule = await readEarningRule(trx, paid.target)
  if (!rule) return { status: 'skipped', reason: 'no_ratio' }
  if (rule.currency !== null && rule.currency !== paid.currency) return { status: 'skipped', reason: 'currency' }
  const points = countPoints(paid.total, rule.ratio)
  if (points >= maxPoints) return { status: 'skipped', reason: 'too_many_points' }
  const operation = createOperationId(paid.target, 'order', paid.key)
  if (points > 0n) {
    await lockBooks(trx, context, paid.target)
    const { target, total: amount, currency, items, closedAt: occurredAt, pointOfSale, externalId } = paid
    const details = { amount, currency, items, rule, pointOfSale, externalId }
    const posting = { target, kind: 'order' as const, points, operation, occurredAt, ...details }
    await postPoints(trx, context, [posting], { isForced: true })
  }
  const { organization, application, account } = paid.target
  const { place, localDay, closedAt } = paid
  await recordVisit(trx, context, { organization, application, account, place, localDay, occurredAt: closedAt })
  const [order] = points > 0n ? await readOrders(trx, [operation]) : []
  return { status: 'earned', points, order: order?.id ?? null }
}

/** Locks the points and the visits of an account, because the account is locked by whichever is posted first. */
async function lockBooks(trx: Knex, context: Context, target: PointsTarget): Promise<void> {
  const [place] = await findPlaces(trx, context, [{ target }])
  const books = [place!.book, await ensureVisitsBook(trx, target)]
  await lockOwnBalances(
    trx,
    books.map((book) => ({ book, owner: target.account })),
  )
}

/** A refund of an order that earned points. */
export interface Refund {
  target: PointsTarget
  /** The order of points. */
  order: string
  externalId: string
  /** What the order gave. */
  points: bigint
  total: string
  currency: string
  /** What was refunded over all refunds before this one, and with it. */
  before: string
  refunded: string
  occurredAt: Date
}

/** Takes back what a refund takes of the points of an order, in proportion and out of the lot that it gave. */
export async function takeBackPoints(trx: Knex, context: Context, refund: Refund): Promise<void> {
  const { target, order, externalId, currency, occurredAt, total, before, refunded } = refund
  const points = countTaken(refund.points, total, refunded) - countTaken(refund.points, total, before)
  if (points <= 0n) return
  await reversePoints(trx, context, [
    {
      target,
      order,
      key: `refund ${refunded}`,
      points,
      occurredAt,
      externalId,
      amount: subtractAmounts(refunded, before),
      currency,
    },
  ])
}
