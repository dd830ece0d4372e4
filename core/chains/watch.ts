import { faultPoint } from '../kernel/fault.ts'
import type { Receipt, Reason, View } from './family.ts'
import { contractKeyAt, forgetDeployment, wantFurtherContract } from './contracts.ts'
import { hold, holdDeployment } from './holding.ts'
import { operationsOf, requeue, requeueRefused } from './operations.ts'
import type { Session } from './session.ts'
import type { Sharer } from './shares.ts'
import { settleFailed, settleFinal, settlements, type Landed } from './settling.ts'
import { markSubmitted, recordMined, type Attempt, type Flight } from './transactions.ts'

/** The transactions whose receipts matter now: not those that only wait for blocks on top. */
export function watched({ flights, confirmations, head }: Session): Flight[] {
  return flights.filter(({ block }) => block === null || head + 1 >= block.number + confirmations - 1)
}

/** Milliseconds until an outcome that its feature did not take is offered again. */
const handOverPause = 2_000

/** How often an operation may be refused by the node, alone in a transaction, before it fails. */
const refusalsAtMost = 3
const refused: Reason = { text: 'The network does not take the transaction.', temporary: false, full: false }

/** `attempt`: the one that is mined. */
type Seen = Landed & { receipt: Receipt; attempt: Attempt }
const isDone = ({ receipt, attempt }: Seen) => receipt.succeeded && !attempt.empty

/** Records what the chain says of the transactions under way. @returns whether anything moved */
export async function record(session: Session, flights: readonly Flight[], view: View): Promise<boolean> {
  const { confirmations } = session
  const seen = flights.flatMap((flight): Seen[] => {
    const receipt = receiptOf(flight, view)
    const attempt = flight.attempts.find(({ hash }) => hash === receipt?.hash)
    return receipt && attempt ? [{ id: flight.id, flight, receipt, attempt }] : []
  })
  const fresh = seen.filter(({ flight, receipt }) => flight.block?.hash !== receipt.block.hash)
  const vanished = flights.filter((flight) => flight.status === 'included' && !receiptOf(flight, view))
  const first = fresh[0]?.flight
  if (first) faultPoint('tx.receipt', { job: first.job, step: first.kind, transaction: first.id })

  if (vanished.length > 0) {
    await markSubmitted(session.db, vanished.map(({ id }) => id))
    for (const flight of vanished) Object.assign(flight, { status: 'submitted', block: null, sent: null })
  }
  const isFinal = ({ receipt }: Seen) => view.head.number - receipt.block.number + 1 >= confirmations
  const included = fresh.filter((one) => !isFinal(one))
  if (included.length > 0) await recordMined(session.db, 'included', included)
  for (const { flight, receipt } of included) Object.assign(flight, { status: 'included', block: receipt.block })

  const ended = seen.filter((one) => isFinal(one) && one.flight.retry <= performance.now())
  const { now, later } = await settleInTurn(session, ended.filter(isDone))
  for (const one of ended.filter((each) => !isDone(each))) {
    await handOver(session, [one], () => revert(session, one))
  }
  const handled = ended.filter((one) => !isDone(one) || now.has(one.id))
  for (const { receipt } of [...included, ...handled]) {
    if (session.anchor === null || receipt.block.number > session.anchor.number) session.anchor = receipt.block
  }
  return fresh.length + vanished.length + handled.length > 0 || later
}

/**
 * Milliseconds after which a round of settling ends: what is left comes with the next look, so that what others want
 * sent does not wait for all that one organization has had sent.
 */
const maxSettling = 100

/** Settles organizations in turn. @returns the transactions whose turn came, and whether there are others */
async function settleInTurn(session: Session, ended: readonly Seen[]): Promise<{ now: Set<string>; later: boolean }> {
  const began = performance.now()
  const now = new Set<string>()
  const busy = new Set<Sharer>()
  const waiting = settlements(ended)
  do {
    const group = session.settling.takeNext(waiting, organizationOf)
    if (!group) break
    const start = performance.now()
    await handOver(session, group, () => settleFinal(session, group))
    const milliseconds = performance.now() - start
    session.settling.count(organizationOf(group), milliseconds)
    if (milliseconds > maxSettling / 2) busy.add(organizationOf(group))
    for (const { id } of group) now.add(id)
    const next = waiting[0]?.[0]
    if (next) faultPoint('unit.between', { job: next.flight.job, step: 'settle' })
  } while (performance.now() - began < maxSettling)
  session.busy = new Set([...busy, ...waiting.map(organizationOf)])
  return { now, later: waiting.length > 0 }
}

const organizationOf = (group: readonly Landed[]) => group[0]?.flight.organization ?? null

function receiptOf({ attempts }: Flight, { receipts }: View): Receipt | undefined {
  return attempts.map(({ hash }) => receipts.get(hash)).find((receipt) => receipt !== undefined)
}

/** An outcome that its feature cannot take is offered again later; the others go on. */
async function handOver(session: Session, landed: readonly Landed[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    const { log, network } = session
    log.error({ err: cause, network, transactions: landed.map(({ id }) => id) }, 'an outcome could not be handed over')
    const retry = performance.now() + handOverPause
    for (const { flight, receipt } of landed) Object.assign(flight, { block: receipt.block, retry })
    return
  }
  const ids = new Set(landed.map(({ id }) => id))
  session.flights = session.flights.filter(({ id }) => !ids.has(id))
}

/**
 * A batch that reverted, or that the node did not take, goes again in halves, until the bad operation stands alone and
 * fails by itself. What was refused for a while only, waits and goes again as it was.
 */
async function revert(session: Session, { flight, receipt, attempt }: Seen): Promise<void> {
  const { db, family, log } = session
  const reason = attempt.empty ? refused : await family.reason(attempt.raw, receipt.block)
  const operations = await operationsOf(db, flight.id)
  const ids = operations.map(({ id }) => id)
  log.warn({ transaction: flight.id, operations: operations.length, reason: reason.text }, 'a transaction reverted')
  const contract = await db.transaction(async (trx) => {
    await recordMined(trx, 'reverted', [{ id: flight.id, receipt }])
    if (reason.temporary || reason.full) await requeue(trx, ids, null)
    else if (operations.length > 1) await requeue(trx, ids, operations.length >> 1)
    else if (operations[0] && (!attempt.empty || await requeueRefused(trx, operations[0].id) >= refusalsAtMost)) {
      await settleFailed(session, trx, operations, reason.text)
    }
    if (reason.full && flight.contract !== null) await wantFurtherContract(trx, session, flight.contract)
    return flight.kind === 'deploy' ? forgetDeployment(trx, flight.id) : contractKeyAt(trx, session, flight.contract)
  })
  if (reason.full && flight.application !== null) session.contracts.delete(flight.application)
  if (contract === undefined) return
  if (flight.kind === 'deploy') holdDeployment(session, contract, reason.text)
  else if (reason.temporary) hold(session, contract, reason.text)
}
