import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { faultPoint } from '../kernel/fault.ts'
import type { Prepared, Unit } from './family.ts'
import { takeNonce } from './nonces.ts'
import { assign } from './operations.ts'
import type { Session } from './session.ts'
import { markSubmitted, storeAttempt, storeTransaction, type Flight } from './transactions.ts'

export interface Dispatch {
  unit: Unit
  prepared: Prepared
  application: string | null
  contract: string | null
  operations: readonly { id: string }[]
  /** A nonce that was passed over; else the next one is taken. */
  nonce?: number
  /** More to write in the same transaction. */
  also?: (trx: Knex, transaction: string) => Promise<void>
}

/**
 * Signs, stores, then sends, in this order: after a crash the same bytes go out again, never others for the same
 * operations. Signing comes before the database transaction, and bytes that were not stored were never sent.
 */
export async function dispatch(session: Session, order: Dispatch): Promise<void> {
  const { db, family, network, address } = session
  const { unit, prepared, application, contract, operations, also, nonce = session.nonce } = order
  const id = randomUUID()
  const signed = await family.sign(randomUUID(), prepared, nonce)
  const place = unit.kind === 'deploy' ? family.contractAt(nonce) : contract
  await db.transaction(async (trx) => {
    if (order.nonce === undefined) await takeNonce(trx, network, address, nonce)
    await storeTransaction(trx, { id, network, sender: address, nonce, kind: unit.kind, application, contract: place }, signed)
    if (operations.length > 0) await assign(trx, id, operations.map((operation) => operation.id))
    await also?.(trx, id)
  })
  if (order.nonce === undefined) session.nonce = nonce + 1
  const flight: Flight = {
    id, nonce, kind: unit.kind, application, contract: place, status: 'signed', attempts: [signed], block: null, sent: null, gone: null,
  }
  session.flights.push(flight)
  faultPoint('tx.stored', { transaction: id, kind: unit.kind })
  await broadcast(session, flight)
}

/** Sends the newest bytes of a transaction. */
export async function broadcast(session: Session, flight: Flight): Promise<void> {
  const newest = flight.attempts.at(-1)
  if (!newest) return
  const reception = await session.family.send(newest.raw)
  faultPoint('tx.broadcast', { transaction: flight.id, kind: flight.kind })
  const now = Date.now()
  flight.sent = { first: flight.sent?.first ?? now, head: flight.sent?.head ?? session.head, last: now }
  if (flight.status === 'signed') {
    flight.status = 'submitted'
    await markSubmitted(session.db, [flight.id])
  }
  if (reception === 'cheap') await replace(session, flight)
}

/**
 * The same content under the same nonce at a higher fee. Only after the receipts of all earlier attempts were looked
 * for: whichever of them is mined, the operations are done once.
 */
export async function replace(session: Session, flight: Flight): Promise<void> {
  const { db, family, log } = session
  const newest = flight.attempts.at(-1)
  if (!newest) return
  const raised = await family.raise(randomUUID(), newest.raw)
  await storeAttempt(db, flight.id, raised)
  flight.attempts.push(raised)
  flight.sent = null
  log.warn({ transaction: flight.id, nonce: flight.nonce, attempt: flight.attempts.length }, 'a transaction is replaced at a higher fee')
  const reception = await family.send(raised.raw)
  if (reception !== 'cheap') flight.sent = { first: Date.now(), last: Date.now(), head: session.head }
}
