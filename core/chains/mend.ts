import type { Outcome, View } from './family.ts'
import { forgetDeployment } from './contracts.ts'
import { broadcast, dispatch, replace, useUp } from './dispatch.ts'
import { operationsOf, requeue, tokenIdOf, type Operation } from './operations.ts'
import { isRecord } from './records.ts'
import type { Session } from './session.ts'
import { settleFinal } from './settling.ts'
import { markLost, missingNonces, type Flight } from './transactions.ts'

/** Blocks that have to pass a transaction by before its fee is to blame. */
const passedBy = 2

/**
 * Sees to transactions without a receipt: what was not sent is sent, what the node may have dropped is sent again,
 * what blocks pass by is replaced, what the node refuses gives its nonce to an empty one, a nonce that nothing has is filled, a nonce that something else used is given up.
 */
export async function mend(session: Session, view: View): Promise<void> {
  const { pace, head, confirmations } = session
  const now = performance.now()
  // What has a receipt is settled when its turn comes.
  const isMined = ({ attempts }: Flight) => attempts.some(({ hash }) => view.receipts.has(hash))
  const inReach = (flight: Flight) =>
    flight.block === null && flight.nonce < view.count + pace.window && !isMined(flight)
  const unsent: Flight[] = []
  for (const flight of session.flights.filter(inReach)) {
    const { sent, refused } = flight
    if (flight.nonce < view.count) {
      flight.gone ??= { since: now, head }
      const { gone } = flight
      if (now - gone.since >= pace.gone && head - gone.head >= confirmations - 1) await giveUp(session, flight)
      continue
    }
    flight.gone = null
    if (refused && refused.times >= pace.refusals) await useUp(session, flight)
    else if (now - Math.max(sent?.last ?? -Infinity, refused?.last ?? -Infinity) > pace.resend) unsent.push(flight)
    else if (sent && now - sent.first > pace.stuck && await isPassedBy(session, flight, sent.head)) await replace(session, flight)
  }
  // Before the others are sent again: some nodes take nothing above a gap.
  await fillGap(session, view.count)
  await broadcast(session, unsent)
}

async function isPassedBy({ family, head }: Session, { attempts }: Flight, since: number): Promise<boolean> {
  const newest = attempts.at(-1)
  return head - since >= passedBy || newest !== undefined && await family.underpays(newest.raw)
}

/** A nonce that nothing of ours has keeps all later ones waiting. */
async function fillGap(session: Session, count: number): Promise<void> {
  const { db, network, address, family, log } = session
  const lowest = session.flights[0]?.nonce ?? session.nonce
  if (count >= lowest) return
  const missing = await missingNonces(db, session, count, lowest)
  if (missing.length === 0) return
  log.warn({ network, sender: address, nonces: missing }, 'nonces that nothing has are filled')
  const unit = { kind: 'fill' } as const
  const order = { unit, prepared: await family.prepare(unit), application: null, contract: null, operations: [] }
  await dispatch(session, missing.map(() => order), missing)
  session.flights.sort((a, b) => a.nonce - b.nonce)
}

/**
 * The nonce was used, and none of our attempts has a receipt. What the chain shows as done in spite of it counts as
 * done; the rest is queued again.
 */
async function giveUp(session: Session, flight: Flight): Promise<void> {
  const { db, network, address, log } = session
  const operations = await operationsOf(db, flight.id)
  const trace = await traceOf(session, flight, operations)
  const done = trace !== null
  log.warn({ network, sender: address, nonce: flight.nonce, done }, 'a nonce was used without a receipt')
  if (trace) {
    await settleFinal(session, [{ id: flight.id, flight, receipt: trace }])
  } else {
    await db.transaction(async (trx) => {
      await markLost(trx, flight.id)
      if (flight.kind === 'deploy') await forgetDeployment(trx, flight.id)
      await requeue(trx, operations.map(({ id }) => id), null)
    })
  }
  session.flights = session.flights.filter(({ id }) => id !== flight.id)
}

/** What the state of the chain itself tells of a transaction; null: it did not happen. */
async function traceOf({ family }: Session, flight: Flight, operations: readonly Operation[]): Promise<Outcome | null> {
  const { contract, kind, attempts } = flight
  const first = operations[0]
  const hash = attempts.findLast(({ empty }) => !empty)?.hash ?? ''
  const outcome = { hash, succeeded: true, block: null, at: null, contract, batch: null, from: null, roots: [] }
  if (contract === null || !await family.deployed(contract)) return null
  if (kind === 'deploy') return outcome
  // A record goes again: what is on the chain already it leaves alone, and is told from there.
  if (!first || isRecord(first)) return null
  const [owner] = await family.owners(contract, [tokenIdOf(first)])
  if (!owner) return null
  if (kind === 'mint') return outcome
  const { batch, issuer } = await family.placeOf(contract, tokenIdOf(first))
  if (kind === 'mintBatch') return { ...outcome, batch }
  return owner === issuer ? null : { ...outcome, from: issuer }
}
