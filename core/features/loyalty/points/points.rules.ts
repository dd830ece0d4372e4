import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { createProblem, createValidationProblem, ProblemError } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { ensureBook, readBalances } from '../../../ledger/index.ts'
import { readOwnAccounts, type AccountRow } from '../../accounts/index.ts'
import { parsePoints } from '../amounts/index.ts'
import {
  createBalanceProblem,
  createOperationId,
  createReusedProblem,
  describePointsBook,
  findOrdersByReference,
  postPoints,
  readDuePoints,
  ReferenceTakenError,
  type NewPosting,
  type OrderRow,
  type PointsTarget,
  type PostedPoints,
  type PostingOutcome,
} from '../posting/index.ts'
import type { PointsAccepted, PointsChange } from './points.schema.ts'

/** The account whose points a request is about, with the name of its application. */
type OwnAccount = Pick<AccountRow, 'id' | 'organization' | 'application' | 'application_name' | 'network' | 'address'>

/** A request to credit points to an account (mint), or to take them (burn). */
export interface ChangeRequest {
  organization: string
  account: string
  kind: 'mint' | 'burn'
  change: PointsChange
}

/** What a request is answered: 202 with this, or a problem. */
export type ChangeAnswer = PointsAccepted | ProblemError

/**
 * Reads an account of the organization.
 * @throws LOYALTY_ACCOUNT_NOT_FOUND, for another organization's too
 */
export async function readOwnAccount(trx: Knex, organization: string, id: string): Promise<OwnAccount> {
  const [account] = await readOwnAccounts(trx, organization, [id])
  if (!account) throw createAccountProblem()
  return account
}

const createAccountProblem = () =>
  createProblem('LOYALTY_ACCOUNT_NOT_FOUND', 'There is no account with that id, or you cannot see it.')

/**
 * Changes points of accounts: at once in the ledger, and on the chain as a job. The same reference with the same amount
 * is answered like the first time and changes nothing; its times are not compared, those of the first hold. The requests of a call are all mints or all burns.
 * @returns one answer a request, in their order: LOYALTY_ACCOUNT_NOT_FOUND; LOYALTY_REFERENCE_REUSED if the account has the
 * reference with another amount or kind; LOYALTY_INSUFFICIENT_BALANCE if it has fewer points than a burn takes;
 * VALIDATION_FAILED for an amount of zero
 * @throws VALIDATION_FAILED beyond what an account can have, and LOYALTY_REFERENCE_REUSED for a reference that another
 * request stores at this moment; the transaction must be rolled back
 * @throws QUOTA_EXCEEDED as `postPoints` does
 */
export async function changePoints(
  trx: Knex,
  context: Context,
  requests: readonly ChangeRequest[],
): Promise<ChangeAnswer[]> {
  const accounts = await readAccounts(trx, requests)
  const known = await readKnown(trx, requests, accounts)
  const prepared = requests.map((request) => prepareChange(request, accounts, known))
  const postings = prepared.flatMap((one) => ('target' in one ? [one] : []))
  const outcomes = await postPoints(trx, context, postings).catch((error: unknown) => {
    throw error instanceof ReferenceTakenError ? createReusedProblem() : error
  })
  const outcomeByPosting = new Map(postings.map((posting, at) => [posting, outcomes[at]!]))
  return prepared.map((one) => ('target' in one ? answerOutcome(one, outcomeByPosting.get(one)!) : one))
}

/** Reads the accounts of requests, those of an organization in one statement. */
async function readAccounts(trx: Knex, requests: readonly ChangeRequest[]): Promise<Map<string, OwnAccount>> {
  const accounts = new Map<string, OwnAccount>()
  for (const [organization, own] of Map.groupBy(requests, (request) => request.organization)) {
    const ids = [...new Set(own.map(({ account }) => account))]
    for (const row of await readOwnAccounts(trx, organization, ids)) accounts.set(`${organization} ${row.id}`, row)
  }
  return accounts
}

/** An order that has the reference of a request, and what its account has now. */
type KnownOrder = OrderRow & { balance: bigint }

const getReferenceKey = ({ account, reference }: { account: string; reference: string | null }) =>
  `${account} ${reference}`

/** Reads the orders that accounts have already under the references of requests. */
async function readKnown(
  trx: Knex,
  requests: readonly ChangeRequest[],
  accounts: ReadonlyMap<string, OwnAccount>,
): Promise<Map<string, KnownOrder>> {
  const references = requests.flatMap(({ organization, account, change: { reference } }) =>
    reference !== undefined && accounts.has(`${organization} ${account}`) ? [{ account, reference }] : [],
  )
  const orders = await findOrdersByReference(trx, references)
  const byId = new Map([...accounts.values()].map((account) => [account.id, account]))
  const balances = await readPoints(
    trx,
    orders.flatMap(({ account }) => byId.get(account) ?? []),
  )
  return new Map(
    orders.map((order) => [getReferenceKey(order), { ...order, balance: balances.get(order.account) ?? 0n }]),
  )
}

/** Reads what accounts have, those of a book in one statement, with what became active or expired until now. */
async function readPoints(trx: Knex, accounts: readonly OwnAccount[]): Promise<Map<string, bigint>> {
  const points = new Map<string, bigint>()
  for (const ofBook of Map.groupBy(accounts, ({ application, network }) => `${application} ${network}`).values()) {
    const book = await ensureBook(trx, describePointsBook(ofBook[0]!))
    const ids = ofBook.map(({ id }) => id)
    for (const [id, { amount }] of await readBalances(trx, book.id, ids)) points.set(id, amount)
  }
  for (const [id, { amount }] of await readDuePoints(trx, [...points.keys()])) points.set(id, amount)
  return points
}

/** Turns a request into what is to be posted, or into its answer if there is nothing to post. */
function prepareChange(
  { organization, account: id, kind, change }: ChangeRequest,
  accounts: ReadonlyMap<string, OwnAccount>,
  known: ReadonlyMap<string, KnownOrder>,
): NewPosting | ChangeAnswer {
  const account = accounts.get(`${organization} ${id}`)
  if (!account) return createAccountProblem()
  try {
    const amount = parsePoints(change.amount, 'amount')
    const points = kind === 'mint' ? amount : -amount
    const reference = change.reference ?? null
    const order = reference === null ? undefined : known.get(getReferenceKey({ account: id, reference }))
    if (order) return answerKnown(order, { kind, points })
    const target = getTarget(account)
    const occurredAt = new Date()
    return {
      target,
      kind,
      points,
      operation: createOperationId(target, kind, reference ?? newId()),
      occurredAt,
      ...parseTimes(change, occurredAt),
      reason: change.reason ?? null,
      reference,
    }
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}

/** @throws VALIDATION_FAILED for points that would expire before they can be spent */
function parseTimes(change: PointsChange, now: Date): Pick<NewPosting, 'activatesAt' | 'expiresAt'> {
  const activatesAt = change.activatesAt === undefined ? null : new Date(change.activatesAt)
  const expiresAt = change.expiresAt === undefined ? null : new Date(change.expiresAt)
  const start = activatesAt && activatesAt > now ? activatesAt : now
  if (expiresAt && expiresAt <= start)
    throw createValidationProblem([
      {
        path: 'expiresAt',
        code: 'past',
        message: start === now ? 'must be in the future' : 'must be after activatesAt',
      },
    ])
  return { activatesAt, expiresAt }
}

const getTarget = ({
  id,
  organization,
  application,
  application_name: applicationName,
  network,
  address,
}: OwnAccount): PointsTarget => ({ organization, application, applicationName, network, account: id, address })

type Wanted = Pick<NewPosting, 'points'> & { kind: string }

const answerKnown = (order: KnownOrder, wanted: Wanted): ChangeAnswer =>
  answerPosted({ ...order, operationId: order.operation, jobId: order.job, optimisticBalance: order.balance }, wanted)

function answerOutcome(posting: NewPosting, outcome: PostingOutcome): ChangeAnswer {
  if (outcome.status === 'refused') return createBalanceProblem(outcome.available, getAmount(posting))
  return answerPosted(outcome.posted, posting)
}

/** Answers what was posted, now or before: an act that came before must be the same one. */
function answerPosted(posted: Omit<PostedPoints, 'isNew'>, wanted: Wanted): ChangeAnswer {
  if (posted.kind !== wanted.kind || posted.points !== wanted.points) return createReusedProblem()
  return {
    jobId: posted.jobId,
    operationId: posted.operationId,
    amount: String(getAmount(wanted)),
    optimisticBalance: String(posted.optimisticBalance),
  }
}

const getAmount = ({ points }: Pick<NewPosting, 'points'>): bigint => (points < 0n ? -points : points)
