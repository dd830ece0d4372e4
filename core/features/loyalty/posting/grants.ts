import type { Knex } from 'knex'
import { hashOperation } from '../../../ledger/index.ts'
import type { CountingOptions } from '../../accounts/index.ts'
import type { PointsTarget } from './chain.ts'
import { findOrdersByReference } from './orders.store.ts'
import {
  createBalanceProblem,
  createReusedProblem,
  postPoints,
  type NewPosting,
  type PostedPoints,
  type PostingContext,
} from './posting.ts'
import { ReferenceTakenError } from './recording.ts'

/** Points that an account is given. */
export interface PointsGrant {
  target: PointsTarget
  kind: 'welcome' | 'assignment' | 'mint'
  /** Natural key of the act, such as the id of the assignment: the account gets it once. Of a mint: its reference. */
  key: string
  /** Above zero. */
  amount: bigint
  reason?: string
  /** When it happened; now by default. */
  occurredAt?: Date
}

/** Points that are taken from an account. */
export interface PointsBurn {
  target: PointsTarget
  /** Natural key of the act, and its reference: it is taken once. */
  key: string
  /** Above zero. */
  amount: bigint
  reason?: string
}

/**
 * Identifies an act on the points of an account.
 * @param key natural key of the act, never the key of a request
 */
export const createOperationId = (
  { organization, account }: Pick<PointsTarget, 'organization' | 'account'>,
  kind: string,
  key: string,
): string => hashOperation([organization, kind, account, key])

/**
 * Gives points to accounts in the caller's transaction, each grant once by its kind and key. What the chain gets of it is
 * gathered by a job, which needs no notice of the caller.
 * @returns one item a grant, in their order
 * @throws LOYALTY_REFERENCE_REUSED if an account has the key of a mint as the reference of another order, or with another
 * amount; the transaction must be rolled back
 * @throws VALIDATION_FAILED beyond what an account can have
 * @throws QUOTA_EXCEEDED as `postPoints` does
 */
export async function grantPoints(
  trx: Knex,
  context: PostingContext,
  grants: readonly PointsGrant[],
  options: CountingOptions = {},
): Promise<PostedPoints[]> {
  return postKeyed(
    trx,
    context,
    grants.map(({ target, kind, key, amount, reason, occurredAt }) => ({
      target,
      kind,
      points: amount,
      operation: createOperationId(target, kind, key),
      occurredAt: occurredAt ?? new Date(),
      reason: reason ?? null,
      reference: kind === 'mint' ? key : null,
    })),
    options,
  )
}

/**
 * Takes points from an account in the caller's transaction, once by the key.
 * @throws LOYALTY_INSUFFICIENT_BALANCE with `available`
 * @throws LOYALTY_REFERENCE_REUSED if the account has the key with another amount or kind; the transaction must be rolled
 * back
 * @throws QUOTA_EXCEEDED as `postPoints` does
 */
export async function burnPoints(
  trx: Knex,
  context: PostingContext,
  { target, key, amount, reason }: PointsBurn,
): Promise<PostedPoints> {
  const [posted] = await postKeyed(trx, context, [
    {
      target,
      kind: 'burn',
      points: -amount,
      operation: createOperationId(target, 'burn', key),
      occurredAt: new Date(),
      reason: reason ?? null,
      reference: key,
    },
  ])
  return posted!
}

async function postKeyed(
  trx: Knex,
  context: PostingContext,
  postings: readonly NewPosting[],
  options: CountingOptions = {},
): Promise<PostedPoints[]> {
  await assertReferencesFit(trx, postings)
  const outcomes = await postPoints(trx, context, postings, options).catch((error: unknown) => {
    throw error instanceof ReferenceTakenError ? createReusedProblem() : error
  })
  return outcomes.map((outcome, at) => {
    const { points, reference } = postings[at]!
    if (outcome.status === 'refused') throw createBalanceProblem(outcome.available, points < 0n ? -points : points)
    if (reference && outcome.posted.points !== points) throw createReusedProblem()
    return outcome.posted
  })
}

/** Refuses the key of another kind of act first, because a balance that is too low says less. */
async function assertReferencesFit(trx: Knex, postings: readonly NewPosting[]): Promise<void> {
  const keyed = postings.flatMap(({ target: { account }, reference, operation }) =>
    reference ? [{ account, reference, operation }] : [],
  )
  const operations = new Map(keyed.map(({ account, reference, operation }) => [`${account} ${reference}`, operation]))
  for (const { account, reference, operation } of await findOrdersByReference(trx, keyed))
    if (operations.get(`${account} ${reference}`) !== operation) throw createReusedProblem()
}
