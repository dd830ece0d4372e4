import type { Knex } from 'knex'
import { getConstraint } from '../../../kernel/ports/constraint.ts'
import { createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { creditOwners, debitOwners, type OwnerBalance, type PostingResult } from '../../../ledger/index.ts'
import type { CountingOptions } from '../../accounts/index.ts'
import type { PointsTarget } from './chain.ts'
import { expireBeforePosting } from './due.ts'
import { findOrdersByOperation, type OrderDetails, type OrderKind } from './orders.store.ts'
import { findPlaces, recordPoints, type NewRecord, type Place } from './recording.ts'

/** Points to add to an account, or to take from it. */
export interface NewPosting extends OrderDetails {
  target: PointsTarget
  kind: OrderKind
  /** Signed, not zero. */
  points: bigint
  /** Identifies the act for ever: posted again, it changes nothing. */
  operation: string
  occurredAt: Date
  /** When added points can be spent; now without it, or if it is over. */
  activatesAt?: Date | null
  /** When what is left of added points expires. After `activatesAt`. */
  expiresAt?: Date | null
}

/** The points of an act, whether it was posted now or before. */
export interface PostedPoints {
  /** Whether it was posted now. */
  isNew: boolean
  operationId: string
  /** The job that follows it on the chain. */
  jobId: string
  /** Signed. */
  points: bigint
  kind: string
  /** What the account has now, whatever the chain says yet. */
  optimisticBalance: bigint
}

/** What became of a posting. `available`: what the account has, which is less than was to be taken. */
export type PostingOutcome = { status: 'posted'; posted: PostedPoints } | { status: 'refused'; available: bigint }

/** The parts of the process that a posting needs. */
export type PostingContext = Pick<Context, 'chains' | 'meters' | 'queue'>

interface Placed extends Place {
  posting: NewPosting
}
type Posted = Exclude<PostingResult, { status: 'refused' }>
/** A posting with its result in the ledger. */
type Done = Placed & { result: PostingResult }

/**
 * Posts points in the caller's transaction: the entry, its order, the figures and the event of its account, and the
 * operation that the chain gets, which the job of the application gathers. An operation that was posted before changes
 * nothing. The postings of a call all add or all take, because balances are locked in one order.
 * @returns one outcome a posting, in their order
 * @throws VALIDATION_FAILED beyond what an account can have
 * @throws ReferenceTakenError if an account has a reference with another operation; the transaction must be rolled back
 * @throws QUOTA_EXCEEDED for an account past a hard limit, unless it `isForced`; the transaction must be rolled back
 */
export async function postPoints(
  trx: Knex,
  context: PostingContext,
  postings: readonly NewPosting[],
  options: CountingOptions = {},
): Promise<PostingOutcome[]> {
  if (postings.length === 0) return []
  if (new Set(postings.map(({ points }) => points > 0n)).size > 1)
    throw new TypeError('One call was to add points and to take points')
  const places = await findPlaces(trx, context, postings)
  const placed = postings.map((posting, at) => ({ ...places[at]!, posting }))
  const due = await expireBeforePosting(trx, placed, { isDebit: postings[0]!.points < 0n })
  const done = await postEntries(trx, placed)
  const made = done.filter(({ result }) => result.status === 'posted')
  const balances = new Map(due.balances)
  for (const { result } of made) if (result.status !== 'refused') balances.set(result.owner, result.balance)
  await recordPoints(trx, context, { records: [...due.records, ...made.flatMap(createRecord)], balances }, options)
  return listOutcomes(trx, done)
}

function createRecord({ posting, job, result }: Done): NewRecord[] {
  if (result.status === 'refused') return []
  const { occurredAt: _at, activatesAt: _from, expiresAt: _until, ...details } = posting
  return [{ ...details, entry: result.entry, job }]
}

/** Posts in rounds in which each owner comes once, because a statement of the ledger takes one entry of an owner. */
async function postEntries(trx: Knex, placed: readonly Placed[]): Promise<Done[]> {
  const results = new Map<Placed, PostingResult>()
  for (let rest = placed; rest.length > 0; rest = rest.filter((item) => !results.has(item))) {
    const round = [...new Map(rest.toReversed().map((item) => [item.posting.target.account, item])).values()]
    const posted = await postRound(trx, round)
    round.forEach((item, at) => results.set(item, posted[at]!))
  }
  return placed.map((item) => ({ ...item, result: results.get(item)! }))
}

async function postRound(trx: Knex, round: readonly Placed[]): Promise<PostingResult[]> {
  const entries = round.map(({ book, posting: { target, kind, points, operation, occurredAt, ...times } }) => ({
    operation,
    kind,
    book,
    owner: target.account,
    amount: points < 0n ? -points : points,
    occurredAt,
    ...(times.activatesAt && { activatesAt: times.activatesAt }),
    ...(times.expiresAt && { expiresAt: times.expiresAt }),
  }))
  if (round.some(({ posting: { points } }) => points > 0n)) return creditOwners(trx, entries).catch(throwLimitProblem)
  return debitOwners(
    trx,
    entries.map((entry) => ({ ...entry, mayGoBelowZero: false })),
  )
}

async function listOutcomes(trx: Knex, done: readonly Done[]): Promise<PostingOutcome[]> {
  const known = done.filter(({ result }) => result.status === 'known').map(({ posting: { operation } }) => operation)
  const orders = new Map((await findOrdersByOperation(trx, known)).map((order) => [order.operation, order]))
  const balances = new Map<string, OwnerBalance>()
  for (const { result } of done) if (result.status !== 'refused') balances.set(result.owner, result.balance)
  return done.map(({ posting, job, result }): PostingOutcome => {
    if (result.status === 'refused') return { status: 'refused', available: result.available }
    const { operation, kind } = posting
    const order = result.status === 'known' ? orders.get(operation) : { job, kind, points: posting.points }
    if (!order) throw new Error(`The operation ${operation} has an entry but no order`)
    return { status: 'posted', posted: createPosted(result, order) }
  })
}

const createPosted = (
  { status, operation, balance }: Posted,
  { job, kind, points }: { job: string; kind: string; points: bigint },
): PostedPoints => ({
  isNew: status === 'posted',
  operationId: operation,
  jobId: job,
  points,
  kind,
  optimisticBalance: balance.amount,
})

/** Creates the refusal of what would take more points than there are. */
export const createBalanceProblem = (available: bigint, amount: bigint) =>
  createProblem('LOYALTY_INSUFFICIENT_BALANCE', `The account has ${available} points, fewer than ${amount}.`, {
    extra: { available: String(available) },
  })

export const createReusedProblem = () =>
  createProblem('LOYALTY_REFERENCE_REUSED', 'The account has this reference with another amount or kind.', {
    path: 'reference',
  })

/** Refuses what would leave an account with more than a balance can hold, which a constraint of the table finds. */
function throwLimitProblem(error: unknown): never {
  if (getConstraint(error) !== 'ledger_balances_limit') throw error
  throw createValidationProblem([
    { path: 'amount', code: 'max_value', message: 'is more than an account can have: 10^18 points and above' },
  ])
}
