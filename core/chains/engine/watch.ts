import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import { isConsentedKind } from '../acts/acts.ts'
import { deploy } from '../acts/deploy.ts'
import type { Receipt, RevertReason, ChainSnapshot } from '../family.ts'
import { findContractKey, forgetDeployment, insertFurtherContract } from './rows/contracts.ts'
import { holdContract, holdDeployment } from './contract-holds.ts'
import { listTransactionOperations, requeueOperations, requeueRefusedOperation } from './rows/operations.ts'
import type { SenderSession } from './session.ts'
import type { ShareHolder } from './fair-shares.ts'
import { settleFailedOperations, settleFinalTransactions, groupSettlements, type MinedFlight } from './settle.ts'
import type { Attempt, InFlightTransaction } from '../sequence.ts'
import { markSubmitted, markMined } from './rows/transactions.ts'

/** Returns the transactions whose receipts matter now: all except those that only wait for more confirmations. */
export function getWatchedFlights({ flights, confirmations, head }: SenderSession): InFlightTransaction[] {
  return flights.filter(({ block }) => block === null || head + 1 >= block.number + confirmations - 1)
}

/** Milliseconds until an outcome that its handler could not take is handed over again. */
const handOverDelayMs = 2_000

/** How often the node may refuse an operation that is alone in its transaction before the operation fails. */
const maxSingleRefusals = 3
const refusedReason: RevertReason = {
  text: 'The network does not take the transaction.',
  temporary: false,
  full: false,
}

/** A mined transaction. `attempt` is the attempt that was mined. */
type MinedAttempt = MinedFlight & { receipt: Receipt; attempt: Attempt }

/**
 * Returns whether a transaction did what it was for. A wallet that does not run the code by which it passes tokens on
 * takes the call and does nothing.
 */
const hasSucceeded = ({ flight, receipt, attempt }: MinedAttempt) =>
  receipt.succeeded && !attempt.empty && (receipt.from !== null || !isConsentedKind(flight.kind))

/** Records the receipts of transactions in flight. @returns whether anything changed */
export async function recordReceipts(
  session: SenderSession,
  flights: readonly InFlightTransaction[],
  snapshot: ChainSnapshot,
): Promise<boolean> {
  const { confirmations } = session
  const minedAttempts = flights.flatMap((flight): MinedAttempt[] => {
    const receipt = findReceipt(flight, snapshot)
    const attempt = flight.attempts.find(({ hash }) => hash === receipt?.hash)
    return receipt && attempt ? [{ id: flight.id, flight, receipt, attempt }] : []
  })
  const fresh = minedAttempts.filter(({ flight, receipt }) => flight.block?.hash !== receipt.block.hash)
  const vanished = flights.filter((flight) => flight.status === 'included' && !findReceipt(flight, snapshot))
  const first = fresh[0]?.flight
  if (first) hitFaultPoint('tx.receipt', { job: first.job, step: first.kind, transaction: first.id })

  if (vanished.length > 0) {
    await markSubmitted(
      session.db,
      vanished.map(({ id }) => id),
    )
    for (const flight of vanished) Object.assign(flight, { status: 'submitted', block: null, sent: null })
  }
  const isFinal = ({ receipt }: MinedAttempt) => snapshot.head.number - receipt.block.number + 1 >= confirmations
  const included = fresh.filter((one) => !isFinal(one))
  if (included.length > 0) await markMined(session.db, 'included', included)
  for (const { flight, receipt } of included) Object.assign(flight, { status: 'included', block: receipt.block })

  const finalAttempts = minedAttempts.filter((one) => isFinal(one) && one.flight.retry <= performance.now())
  const { settledIds, hasMore } = await settleByOrganization(session, finalAttempts.filter(hasSucceeded))
  for (const one of finalAttempts.filter((each) => !hasSucceeded(each))) {
    await handOverOutcomes(session, [one], () => settleReverted(session, one))
  }
  const handled = finalAttempts.filter((one) => !hasSucceeded(one) || settledIds.has(one.id))
  for (const { receipt } of [...included, ...handled]) {
    if (session.newestRecordedBlock === null || receipt.block.number > session.newestRecordedBlock.number)
      session.newestRecordedBlock = receipt.block
  }
  return fresh.length + vanished.length + handled.length > 0 || hasMore
}

/**
 * Milliseconds after which a round of settling ends. The remaining outcomes are settled after the next poll, so that
 * the operations of other organizations do not wait for all outcomes of one organization.
 */
const maxSettlingMs = 100

/**
 * Settles the organizations in turn.
 * @returns ids of the transactions that had their turn, and whether others remain
 */
async function settleByOrganization(
  session: SenderSession,
  finalAttempts: readonly MinedAttempt[],
): Promise<{ settledIds: Set<string>; hasMore: boolean }> {
  const began = performance.now()
  const settledIds = new Set<string>()
  const busyHolders = new Set<ShareHolder>()
  const waiting = groupSettlements(finalAttempts)
  do {
    const group = session.settlementShares.takeNext(waiting, getOrganization)
    if (!group) break
    const start = performance.now()
    await handOverOutcomes(session, group, () => settleFinalTransactions(session, group))
    const elapsedMs = performance.now() - start
    session.settlementShares.addUsage(getOrganization(group), elapsedMs)
    if (elapsedMs > maxSettlingMs / 2) busyHolders.add(getOrganization(group))
    for (const { id } of group) settledIds.add(id)
    const next = waiting[0]?.[0]
    if (next) hitFaultPoint('unit.between', { job: next.flight.job, step: 'settle' })
  } while (performance.now() - began < maxSettlingMs)
  session.busyHolders = new Set([...busyHolders, ...waiting.map(getOrganization)])
  return { settledIds, hasMore: waiting.length > 0 }
}

const getOrganization = (group: readonly MinedFlight[]) => group[0]?.flight.organization ?? null

function findReceipt({ attempts }: InFlightTransaction, { receipts }: ChainSnapshot): Receipt | undefined {
  return attempts.map(({ hash }) => receipts.get(hash)).find((receipt) => receipt !== undefined)
}

/** Runs `settle`. If a handler cannot take the outcomes, they are handed over again later, and the others go on. */
async function handOverOutcomes(
  session: SenderSession,
  mined: readonly MinedFlight[],
  settle: () => Promise<void>,
): Promise<void> {
  try {
    await settle()
  } catch (cause) {
    const { log, network } = session
    log.error({ err: cause, network, transactions: mined.map(({ id }) => id) }, 'an outcome could not be handed over')
    const retry = performance.now() + handOverDelayMs
    for (const { flight, receipt } of mined) Object.assign(flight, { block: receipt.block, retry })
    return
  }
  const ids = new Set(mined.map(({ id }) => id))
  session.flights = session.flights.filter(({ id }) => !ids.has(id))
}

/**
 * Settles a reverted or refused transaction. Its operations are queued again in halves, until the bad operation is
 * alone in a transaction and fails by itself. Operations that were refused only temporarily are queued again together
 * and wait.
 */
async function settleReverted(session: SenderSession, { flight, receipt, attempt }: MinedAttempt): Promise<void> {
  const { db, adapter, log } = session
  const reason = attempt.empty ? refusedReason : await adapter.readRevertReason(attempt.raw, receipt.block)
  const operations = await listTransactionOperations(db, flight.id)
  const ids = operations.map(({ id }) => id)
  log.warn({ transaction: flight.id, operations: operations.length, reason: reason.text }, 'a transaction reverted')
  const contract = await db.transaction(async (trx) => {
    await markMined(trx, 'reverted', [{ id: flight.id, receipt }])
    if (reason.temporary || reason.full) await requeueOperations(trx, ids, null)
    else if (operations.length > 1) await requeueOperations(trx, ids, operations.length >> 1)
    else if (
      operations[0]
      && (!attempt.empty || (await requeueRefusedOperation(trx, operations[0].id)) >= maxSingleRefusals)
    ) {
      await settleFailedOperations(session, trx, operations, reason.text)
    }
    if (reason.full && flight.contract !== null) await insertFurtherContract(trx, session, flight.contract)
    return flight.kind === deploy.kind
      ? forgetDeployment(trx, flight.id)
      : findContractKey(trx, session, flight.contract)
  })
  if (reason.full && flight.application !== null) session.contracts.delete(flight.application)
  if (contract === undefined) return
  if (flight.kind === deploy.kind) holdDeployment(session, contract, reason.text)
  else if (reason.temporary) holdContract(session, contract, reason.text)
}
