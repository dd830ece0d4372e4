import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { faultPoint } from '../kernel/fault.ts'
import { NodeUnavailable, Refused, type Prepared, type Signed, type Unit } from './family.ts'
import { takeNonces } from './nonces.ts'
import { SignerRefused } from './signer/client.ts'
import { assign } from './operations.ts'
import type { Session } from './session.ts'
import { markSubmitted, storeAttempt, storeTransactions, type Flight } from './transactions.ts'

export interface Dispatch {
  unit: Unit
  prepared: Prepared
  application: string | null
  contract: string | null
  /** In the order of the unit's tokens. */
  operations: readonly { id: string; job: string; organization: string }[]
  /** More to write in the same database transaction. */
  also?: (trx: Knex, transaction: string) => Promise<void>
}

/** The signer does not sign an order. The message is fit for people. */
export class OrderRefusedError extends Error {
  override name = 'OrderRefusedError'
  readonly order: Dispatch
  /** The nonce that the same was signed under before, where that is why; it has to be over first. Null: another wallet's. */
  readonly signedUnder: number | null | undefined
  constructor(order: Dispatch, cause: SignerRefused) {
    super('The signer does not sign the operation.', { cause })
    this.order = order
    this.signedUnder = cause.nonce
  }
}

/** Refusals that pass: the chain asks too much at present, or the sender has not yet recorded its nonce. */
const passing = new Set(['FEES', 'NONCE'])

/**
 * Signs, stores, then sends, in this order: after a crash the same bytes go out again, never others for the same
 * operations. Signing comes before the database transaction, and bytes that were not stored were never sent. What was
 * signed is stored also where the signer fails at the next order: nonces in between are filled later.
 * @param passedOver nonces to use instead of the next ones
 * @returns the orders that the signer does not sign
 */
export async function dispatch(
  session: Session, orders: readonly Dispatch[], passedOver?: readonly number[],
): Promise<OrderRefusedError[]> {
  const nonceOf = (index: number) => passedOver?.[index] ?? session.nonce + index
  const signings = await Promise.allSettled(orders.map((order, index) => newFlight(session, order, nonceOf(index))))
  const ready = signings.flatMap((one, index) => (one.status === 'fulfilled' ? [{ index, flight: one.value }] : []))
  const causes: unknown[] = signings.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (ready.length > 0) await storeAndSend(session, orders, ready, passedOver !== undefined)
  for (const cause of causes) if (!(cause instanceof OrderRefusedError)) throw cause
  return causes.filter((cause) => cause instanceof OrderRefusedError)
}

async function newFlight(session: Session, order: Dispatch, nonce: number): Promise<Flight> {
  const { unit, application, operations } = order
  return {
    id: randomUUID(), nonce, kind: unit.kind, application, status: 'signed', job: operations[0]?.job ?? null,
    organization: application === null ? null : operations[0]?.organization ?? null,
    contract: unit.kind === 'deploy' ? await session.family.contractAt(nonce) : order.contract,
    attempts: [{ ...await signed(session, order, nonce), empty: false }],
    block: null, sent: null, gone: null, refused: null, retry: 0,
  }
}

/** `index`: of its order. */
interface Ready { index: number; flight: Flight }

async function storeAndSend(
  session: Session, orders: readonly Dispatch[], ready: readonly Ready[], isFilling: boolean,
): Promise<void> {
  const flights = ready.map(({ flight }) => flight)
  const used = isFilling ? 0 : (ready.at(-1)?.index ?? 0) + 1
  await session.db.transaction(async (trx) => {
    if (!isFilling) await takeNonces(trx, session, session.nonce, used)
    await storeTransactions(trx, session, flights)
    await assign(trx, ready.flatMap(({ index, flight }) =>
      (orders[index]?.operations ?? []).map(({ id }, position) => ({ id, transaction: flight.id, position }))))
    for (const { index, flight } of ready) await orders[index]?.also?.(trx, flight.id)
  })
  session.nonce += used
  session.flights.push(...flights)
  for (const { id, job, kind } of flights) faultPoint('tx.stored', { job, step: kind, transaction: id })
  await broadcast(session, flights)
}

async function signed({ family }: Session, order: Dispatch, nonce: number): Promise<Signed> {
  try {
    return await family.sign(randomUUID(), order.prepared, nonce)
  } catch (cause) {
    if (!(cause instanceof SignerRefused) || order.unit.kind === 'fill') throw cause
    const isRaced = cause.code === 'SIGNED_BEFORE' && cause.nonce === undefined
    if (passing.has(cause.code) || isRaced) throw new NodeUnavailable(`the signer waits: ${cause.message}`, { cause })
    throw new OrderRefusedError(order, cause)
  }
}

/** Sends the newest bytes of transactions, in the order of their nonces. What the node finds too cheap is replaced. */
export async function broadcast(session: Session, flights: readonly Flight[]): Promise<void> {
  if (flights.length === 0) return
  const { db, family, head } = session
  const receptions = await Promise.allSettled(flights.map(({ attempts }) =>
    family.send(attempts.at(-1)?.raw ?? new Uint8Array())))
  for (const { id, job, kind } of flights) faultPoint('tx.broadcast', { job, step: kind, transaction: id })
  const now = performance.now()
  const taken = flights.filter((_, index) => receptions[index]?.status === 'fulfilled')
  const fresh = taken.filter(({ status }) => status === 'signed')
  for (const flight of taken) Object.assign(flight, { sent: { first: now, head, ...flight.sent, last: now }, refused: null })
  for (const flight of fresh) flight.status = 'submitted'
  if (fresh.length > 0) await markSubmitted(db, fresh.map(({ id }) => id))
  for (const [index, reception] of receptions.entries()) {
    const flight = flights[index]
    if (reception.status === 'rejected') refusal(session, flight, reception.reason)
    else if (flight && reception.value === 'cheap') await replace(session, flight)
  }
}

/** Notes that the node refused a transaction. A node that does not even take an empty one is not in order. */
function refusal({ log, network }: Session, flight: Flight | undefined, cause: unknown): void {
  if (!(cause instanceof Refused) || !flight) throw cause
  const isPlain = flight.kind === 'fill' || flight.attempts.at(-1)?.empty === true
  if (isPlain) throw new NodeUnavailable('the node takes nothing', { cause })
  flight.refused = { times: (flight.refused?.times ?? 0) + 1, last: performance.now() }
  log.warn({ err: cause, network, transaction: flight.id, ...flight.refused }, 'the node refused a transaction')
}

/**
 * Uses the nonce of a transaction that the node does not take, with one that does nothing, so that later ones go on.
 * Its operations stay with it: only what is mined, the content or nothing, tells what becomes of them.
 */
export async function useUp(session: Session, flight: Flight): Promise<void> {
  const { db, family, log, network } = session
  const prepared = await family.prepare({ kind: 'fill' })
  const attempt = { ...await family.sign(randomUUID(), prepared, flight.nonce), empty: true }
  await storeAttempt(db, flight.id, attempt)
  flight.attempts.push(attempt)
  Object.assign(flight, { sent: null, refused: null })
  log.error({ network, transaction: flight.id, nonce: flight.nonce }, 'the node does not take a transaction: given up')
  await broadcast(session, [flight])
}

/**
 * The same content under the same nonce at a higher fee. Only after the receipts of all earlier attempts were looked
 * for: whichever of them is mined, the operations are done once.
 */
export async function replace(session: Session, flight: Flight): Promise<void> {
  const { db, family, log, head } = session
  const newest = flight.attempts.at(-1)
  if (!newest) return
  const higher = await family.raise(randomUUID(), newest.raw, flight.application).catch((cause: unknown) => {
    if (!(cause instanceof SignerRefused)) throw cause
    log.error({ err: cause, transaction: flight.id }, 'the signer does not replace a transaction: it stays as it is')
    return null
  })
  if (!higher) return
  const raised = { ...higher, empty: newest.empty }
  await storeAttempt(db, flight.id, raised)
  flight.attempts.push(raised)
  flight.sent = null
  const attempt = flight.attempts.length
  log.warn({ transaction: flight.id, nonce: flight.nonce, attempt }, 'a transaction is replaced at a higher fee')
  const reception = await family.send(raised.raw)
  if (reception !== 'cheap') flight.sent = { first: performance.now(), last: performance.now(), head }
}
