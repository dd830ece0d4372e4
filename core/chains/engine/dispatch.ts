import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { deploy } from '../acts/deploy.ts'
import { fill } from '../acts/fill.ts'
import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import {
  ActRefusedError,
  NodeUnavailableError,
  TransactionRefusedError,
  type PreparedAct,
  type SignedTransaction,
} from '../family.ts'
import type { Attempt, InFlightTransaction } from '../sequence.ts'
import { assignOperations } from './rows/operations.ts'
import type { SenderSession } from './session.ts'
import { insertAttempt, insertTransactions, markSubmitted } from './rows/transactions.ts'

export interface TransactionOrder {
  prepared: PreparedAct
  application: string | null
  /** Address of the contract that the act calls; null for a deployment. */
  contract: string | null
  /** Operations of the transaction, in the order of the act's tokens. */
  operations: readonly { id: string; job: string; organization: string }[]
  /** Writes more rows in the same database transaction. */
  onStore?: (trx: Knex, flight: InFlightTransaction) => Promise<void>
}

/** An order that the signer does not sign. */
export interface RefusedOrder {
  order: TransactionOrder
  cause: ActRefusedError
}

/** A signed transaction with its order. */
interface SignedOrder {
  order: TransactionOrder
  flight: InFlightTransaction
}

/**
 * Signs, stores and then sends orders, in this sequence: after a crash the same bytes are sent again, and never other
 * bytes for the same operations. Signing comes before the database transaction, and bytes that were not stored were
 * never sent. If the signer fails at one order, the other signed orders are stored nevertheless; the family fills the
 * places between them later.
 * @returns the orders that the signer does not sign
 */
export async function dispatchOrders(
  session: SenderSession,
  orders: readonly TransactionOrder[],
): Promise<RefusedOrder[]> {
  const places = session.sequence.listNextPlaces(orders.length)
  const signings = await Promise.allSettled(
    orders.map((order, index) => signOrder(session, order, places[index] ?? Number.NaN)),
  )
  const signedOrders = signings.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (signedOrders.length > 0) await storeAndSendOrders(session, signedOrders)
  return orders.flatMap((order, index) => {
    const signing = signings[index]
    if (signing?.status !== 'rejected') return []
    const cause: unknown = signing.reason
    if (!(cause instanceof ActRefusedError)) throw cause
    return [{ order, cause }]
  })
}

async function signOrder(session: SenderSession, order: TransactionOrder, place: number): Promise<SignedOrder> {
  const { prepared, application, operations } = order
  const { act } = prepared
  const contract =
    act.kind === deploy.kind ? await session.adapter.computeContractAddress(act.contract, place) : order.contract
  const signed = await prepared.sign(randomUUID(), place)
  const first = operations[0]
  const organization = application === null ? null : (first?.organization ?? null)
  const flight = createFlight(act.kind, place, signed)
  return { order, flight: { ...flight, application, contract, organization, job: first?.job ?? null } }
}

function createFlight(kind: string, place: number, signed: SignedTransaction): InFlightTransaction {
  return {
    id: randomUUID(),
    place,
    kind,
    application: null,
    status: 'signed',
    job: null,
    organization: null,
    contract: null,
    attempts: [{ ...signed, empty: false }],
    block: null,
    sent: null,
    refused: null,
    retry: 0,
  }
}

async function storeAndSendOrders(session: SenderSession, signedOrders: readonly SignedOrder[]): Promise<void> {
  const { db, sequence } = session
  const flights = signedOrders.map(({ flight }) => flight)
  await db.transaction(async (trx) => {
    await sequence.takePlaces(trx, flights.at(-1)?.place ?? 0)
    await insertTransactions(trx, session, flights)
    await assignOperations(
      trx,
      signedOrders.flatMap(({ order, flight }) =>
        order.operations.map(({ id }, position) => ({ id, transaction: flight.id, position })),
      ),
    )
    for (const { order, flight } of signedOrders) await order.onStore?.(trx, flight)
  })
  session.flights.push(...flights)
  await announceAndSend(session, flights)
}

/** Stores and sends transactions that do nothing but take up places that no other transaction has. */
export async function dispatchFillers(
  session: SenderSession,
  fillers: readonly { place: number; signed: SignedTransaction }[],
): Promise<void> {
  const { network, address, log } = session
  const places = fillers.map(({ place }) => place)
  log.warn({ network, sender: address, places }, 'places that no transaction has are filled')
  const flights = fillers.map(({ place, signed }) => createFlight(fill.kind, place, signed))
  await session.db.transaction((trx) => insertTransactions(trx, session, flights))
  session.flights = [...session.flights, ...flights].sort((a, b) => a.place - b.place)
  await announceAndSend(session, flights)
}

async function announceAndSend(session: SenderSession, flights: readonly InFlightTransaction[]): Promise<void> {
  for (const { id, job, kind } of flights) hitFaultPoint('tx.stored', { job, step: kind, transaction: id })
  await broadcastFlights(session, flights)
}

/**
 * Sends the newest attempts of transactions in the order of their places. Those that the node takes only in a newer
 * attempt get one.
 */
export async function broadcastFlights(session: SenderSession, flights: readonly InFlightTransaction[]): Promise<void> {
  for (const flight of await sendNewestAttempts(session, flights)) {
    const signed = await session.sequence.renewAttempt(flight)
    const newest = flight.attempts.at(-1)
    if (signed && newest) await retryTransaction(session, flight, { ...signed, empty: newest.empty })
  }
}

/** Stores and sends a further attempt of a transaction. Whichever attempt is mined, the operations are done once. */
export async function retryTransaction(
  session: SenderSession,
  flight: InFlightTransaction,
  attempt: Attempt,
): Promise<void> {
  const { db, log, network } = session
  await insertAttempt(db, flight.id, attempt)
  flight.attempts.push(attempt)
  Object.assign(flight, { sent: null, refused: null })
  const { id: transaction, place, attempts } = flight
  if (attempt.empty) log.error({ network, transaction, place }, 'the node does not take a transaction: given up')
  else log.warn({ network, transaction, place, attempt: attempts.length }, 'a transaction is replaced')
  // An attempt that is outdated at once is renewed after the next poll.
  for (const outdated of await sendNewestAttempts(session, [flight])) outdated.sent = null
}

/** Sends the newest attempts. @returns the transactions that the node takes only in a newer attempt */
async function sendNewestAttempts(
  session: SenderSession,
  flights: readonly InFlightTransaction[],
): Promise<InFlightTransaction[]> {
  if (flights.length === 0) return []
  const { db, adapter, head } = session
  const receptions = await Promise.allSettled(
    flights.map(({ attempts }) => adapter.sendTransaction(attempts.at(-1)?.raw ?? new Uint8Array())),
  )
  for (const { id, job, kind } of flights) hitFaultPoint('tx.broadcast', { job, step: kind, transaction: id })
  const now = performance.now()
  const taken = flights.filter((_, index) => receptions[index]?.status === 'fulfilled')
  const fresh = taken.filter(({ status }) => status === 'signed')
  for (const flight of taken)
    Object.assign(flight, { sent: { first: now, head, ...flight.sent, last: now }, refused: null })
  for (const flight of fresh) flight.status = 'submitted'
  if (fresh.length > 0)
    await markSubmitted(
      db,
      fresh.map(({ id }) => id),
    )
  for (const [index, reception] of receptions.entries())
    if (reception.status === 'rejected') noteRefusal(session, flights[index], reception.reason)
  return flights.filter((_, index) => {
    const reception = receptions[index]
    return reception?.status === 'fulfilled' && reception.value === 'outdated'
  })
}

/**
 * Notes that the node refused a transaction.
 * @throws NodeUnavailableError if the node refuses even an empty transaction, because then the node itself has a
 * problem
 */
function noteRefusal({ log, network }: SenderSession, flight: InFlightTransaction | undefined, cause: unknown): void {
  if (!(cause instanceof TransactionRefusedError) || !flight) throw cause
  const isPlain = flight.kind === fill.kind || flight.attempts.at(-1)?.empty === true
  if (isPlain) throw new NodeUnavailableError('the node takes nothing', { cause })
  flight.refused = { times: (flight.refused?.times ?? 0) + 1, last: performance.now() }
  log.warn({ err: cause, network, transaction: flight.id, ...flight.refused }, 'the node refused a transaction')
}
