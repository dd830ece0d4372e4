import {
  getRecordAct,
  getTokenAct,
  hasRoots,
  isPointsOperation,
  isRecordOperation,
  isSingleTokenKind,
  isTokenOperation,
} from '../acts/acts.ts'
import {
  getTokenId,
  type ChainOperation,
  type PointsOperation,
  type RecordOperation,
  type TokenOperation,
} from '../acts/operation.ts'
import type { Knex } from 'knex'
import type { PointsOutcome, RecordOutcome, TokenOutcome } from '../port.ts'
import type { AnchorRecord } from '../family.ts'
import { addFinalCount } from './rows/senders.ts'
import { failOperations, finishOperations, listTransactionOperations } from './rows/operations.ts'
import { queryRows } from './rows/rows.ts'
import type { SenderSession } from './session.ts'
import type { InFlightTransaction } from '../sequence.ts'
import { markMined, type MinedTransaction } from './rows/transactions.ts'

/** Maximum number of outcomes that are handed over at once. */
const maxOutcomes = 500

export interface MinedFlight extends MinedTransaction {
  flight: InFlightTransaction
}

type FinishedTokenOperation = TokenOperation & { transaction: string }
type FinishedRecordOperation = RecordOperation & { transaction: string }
type FinishedPointsOperation = PointsOperation & { transaction: string }

/**
 * Records that transactions are final and hands over their outcomes, in one database transaction. All of `mined` must
 * be of one kind and application.
 */
export async function settleFinalTransactions(session: SenderSession, mined: readonly MinedFlight[]): Promise<void> {
  const earlierAnchors = await findEarlierAnchors(session, mined)
  await session.db.transaction(async (trx) => {
    await markMined(trx, 'final', mined)
    const finished = await finishOperations(
      trx,
      mined.map(({ id }) => id),
    )
    await addFinalCount(trx, session, finished.length)
    const tokens = finished.filter((one): one is FinishedTokenOperation => isTokenOperation(one))
    if (tokens.length > 0) await settleTokenOperations(session, trx, mined, tokens)
    const records = finished.filter((one): one is FinishedRecordOperation => isRecordOperation(one))
    if (records.length > 0) await settleRecords(session, trx, mined, records, earlierAnchors)
    const points = finished.filter((one): one is FinishedPointsOperation => isPointsOperation(one))
    if (points.length > 0) await settlePoints(session, trx, mined, points)
  })
}

async function settleTokenOperations(
  session: SenderSession,
  trx: Knex.Transaction,
  mined: readonly MinedFlight[],
  finished: FinishedTokenOperation[],
): Promise<void> {
  const byId = new Map(mined.map((one) => [one.id, one]))
  const issuer = await findIssuer(session, trx, finished[0]?.application)
  const outcomes = finished
    .sort((a, b) => a.line - b.line)
    .map((operation): TokenOutcome => {
      const { flight, receipt } = byId.get(operation.transaction) ?? {}
      return {
        ...toTokenOutcomeHead(operation),
        status: 'final',
        reason: null,
        contract: flight?.contract ?? null,
        transactionHash: receipt?.hash ?? null,
        ...getTokenAct(operation.kind).getOwners(operation, issuer, receipt?.from ?? null),
        at: receipt?.at ?? null,
      }
    })
  await forEachChunk(outcomes, (chunk) => session.outcomeHandlers.tokens(trx, chunk))
}

async function settleRecords(
  { outcomeHandlers }: SenderSession,
  trx: Knex.Transaction,
  mined: readonly MinedFlight[],
  finished: readonly FinishedRecordOperation[],
  earlierAnchors: ReadonlyMap<string, AnchorRecord>,
): Promise<void> {
  const byId = new Map(mined.map((one) => [one.id, one]))
  const outcomes = finished.map((record): RecordOutcome => {
    const { flight, receipt } = byId.get(record.transaction) ?? {}
    const before = earlierAnchors.get(getRecordAct(record.kind).getRoot?.(record) ?? '')
    return {
      ...toRecordOutcomeHead(record),
      status: 'final',
      reason: null,
      contract: flight?.contract ?? null,
      transactionHash: before?.hash ?? receipt?.hash ?? null,
      blockNumber: before?.blockNumber ?? receipt?.block?.number ?? null,
      at: before?.at ?? receipt?.at ?? null,
    }
  })
  await forEachChunk(outcomes, (chunk) => outcomeHandlers.records(trx, chunk))
}

async function settlePoints(
  { outcomeHandlers }: SenderSession,
  trx: Knex.Transaction,
  mined: readonly MinedFlight[],
  finished: readonly FinishedPointsOperation[],
): Promise<void> {
  const byId = new Map(mined.map((one) => [one.id, one]))
  const outcomes = finished.map((operation): PointsOutcome => {
    const { flight, receipt } = byId.get(operation.transaction) ?? {}
    return {
      ...toPointsOutcomeHead(operation),
      status: 'final',
      reason: null,
      contract: flight?.contract ?? null,
      transactionHash: receipt?.hash ?? null,
      at: receipt?.at ?? null,
    }
  })
  await forEachChunk(outcomes, (chunk) => outcomeHandlers.points(trx, chunk))
}

/** Hands over that the points of a transaction are not final any more, in the transaction that rewinds it. */
export async function settleUndoneTransaction(
  { outcomeHandlers }: Pick<SenderSession, 'outcomeHandlers'>,
  trx: Knex.Transaction,
  transaction: string,
): Promise<void> {
  const undone = { status: 'undone', reason: null, contract: null, transactionHash: null, at: null } as const
  const operations = await listTransactionOperations(trx, transaction)
  const outcomes = operations.filter(isPointsOperation).map((one) => ({ ...toPointsOutcomeHead(one), ...undone }))
  await forEachChunk(outcomes, (chunk) => outcomeHandlers.points(trx, chunk))
}

/**
 * Finds the first anchors of roots that were already anchored before these transactions, by root. Certificates that
 * return to an earlier state have the same root as then, and the transaction of that time proves the root.
 */
async function findEarlierAnchors(
  { db, adapter }: SenderSession,
  mined: readonly MinedFlight[],
): Promise<ReadonlyMap<string, AnchorRecord>> {
  const anchors = new Map<string, AnchorRecord>()
  for (const {
    id,
    flight: { kind, contract },
    receipt,
  } of mined) {
    if (!hasRoots(kind) || contract === null) continue
    const fresh = new Set(receipt.roots)
    for (const operation of await listTransactionOperations(db, id)) {
      const root = isRecordOperation(operation) ? getRecordAct(operation.kind).getRoot?.(operation) : undefined
      if (root === undefined || fresh.has(root)) continue
      const anchor = await adapter.findAnchorRecord(contract, root)
      if (!anchor) throw new Error('a root is not where it was anchored')
      anchors.set(root, anchor)
    }
  }
  return anchors
}

/** Fails operations of one kind and application and hands over their outcomes, in the caller's transaction. */
export async function settleFailedOperations(
  { outcomeHandlers }: SenderSession,
  trx: Knex.Transaction,
  operations: readonly ChainOperation[],
  reason: string,
): Promise<void> {
  await failOperations(
    trx,
    operations.map(({ id }) => id),
    reason,
  )
  const ending = { status: 'failed', reason, contract: null, transactionHash: null, at: null } as const
  const tokens = operations.flatMap((one): TokenOutcome[] =>
    isTokenOperation(one) ? [{ ...toTokenOutcomeHead(one), ...ending, from: null, owner: null }] : [],
  )
  const records = operations.flatMap((one): RecordOutcome[] =>
    isRecordOperation(one) ? [{ ...toRecordOutcomeHead(one), ...ending, blockNumber: null }] : [],
  )
  const points = operations.flatMap((one): PointsOutcome[] =>
    isPointsOperation(one) ? [{ ...toPointsOutcomeHead(one), ...ending }] : [],
  )
  await forEachChunk(tokens, (chunk) => outcomeHandlers.tokens(trx, chunk))
  await forEachChunk(records, (chunk) => outcomeHandlers.records(trx, chunk))
  await forEachChunk(points, (chunk) => outcomeHandlers.points(trx, chunk))
}

/** Fails operations that will never happen, each kind and application in its own transaction. */
export async function settleRefusedOperations(
  session: SenderSession,
  operations: readonly ChainOperation[],
  reason: string,
): Promise<void> {
  const getGroupKey = (one: ChainOperation) => `${isRecordOperation(one) ? '' : one.application} ${one.kind}`
  for (const group of Map.groupBy(operations, getGroupKey).values()) {
    await session.db
      .transaction((trx) => settleFailedOperations(session, trx, group, reason))
      .catch((cause: unknown) => {
        session.log.error({ err: cause, network: session.network }, 'a failure could not be handed over')
      })
  }
}

/** Groups transactions that may be settled together: one kind and application, and at most `maxOutcomes` of them. */
export function groupSettlements(mined: readonly MinedFlight[]): MinedFlight[][] {
  const groups = Map.groupBy(mined, ({ flight: { kind, application, id } }) =>
    isSingleTokenKind(kind) ? `${kind} ${application}` : id,
  )
  return [...groups.values()].flatMap((group) => splitIntoChunks(group))
}

async function findIssuer({ network, contracts }: SenderSession, trx: Knex, application = ''): Promise<string | null> {
  const known = contracts.get(application)
  if (known) return known.issuer
  // All contracts of an application have the same issuer.
  const [row] = await queryRows<{ issuer: string | null }>(
    trx,
    `select issuer from chain_contracts
    where network = ? and application = ? and kind = 'passports' order by part limit 1`,
    [network, application],
  )
  return row?.issuer ?? null
}

function toTokenOutcomeHead(operation: TokenOperation) {
  const { id, kind, organization, application, network, job, line } = operation
  return { id, kind, organization, application, network, tokenId: getTokenId(operation), job, line }
}

function toRecordOutcomeHead({ id, kind, organization, network, job }: RecordOperation) {
  return { id, kind, organization, network, job }
}

function toPointsOutcomeHead({ id, kind, organization, application, network, job }: PointsOperation) {
  return { id, kind, organization, application, network, job }
}

async function forEachChunk<T>(list: readonly T[], handleChunk: (chunk: T[]) => Promise<void>): Promise<void> {
  for (const chunk of splitIntoChunks(list)) await handleChunk(chunk)
}

function splitIntoChunks<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / maxOutcomes)
  return Array.from({ length: count }, (_, index) => list.slice(index * maxOutcomes, (index + 1) * maxOutcomes))
}
