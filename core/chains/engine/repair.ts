import { isTokenOperation } from '../acts/acts.ts'
import { deploy } from '../acts/deploy.ts'
import { getTokenId } from '../acts/operation.ts'
import type { ChainSnapshot } from '../family.ts'
import type { InFlightTransaction, Repair } from '../sequence.ts'
import { forgetDeployment } from './rows/contracts.ts'
import { broadcastFlights, dispatchFillers, retryTransaction } from './dispatch.ts'
import { listTransactionOperations, requeueOperations } from './rows/operations.ts'
import type { SenderSession } from './session.ts'
import { settleFinalTransactions } from './settle.ts'
import { markLost } from './rows/transactions.ts'

/** Does for transactions without a receipt what their family decides. */
export async function repairFlights(session: SenderSession, { receipts }: ChainSnapshot): Promise<void> {
  const hasReceipt = ({ attempts }: InFlightTransaction) => attempts.some(({ hash }) => receipts.has(hash))
  for await (const repair of session.sequence.reviewFlights(hasReceipt)) await doRepair(session, repair)
}

async function doRepair(session: SenderSession, repair: Repair): Promise<void> {
  switch (repair.kind) {
    case 'send':
      return broadcastFlights(session, repair.flights)
    case 'retry':
      return retryTransaction(session, repair.flight, repair.attempt)
    case 'giveUp':
      return giveUpFlight(session, repair.flight)
    case 'fill':
      return dispatchFillers(session, repair.fillers)
  }
}

/**
 * Gives up a transaction none of whose attempts can get a receipt any more. If the chain shows that the transaction took
 * effect, its operations count as done; otherwise they are queued again. A record is always queued again: the chain
 * leaves an existing entry unchanged, and the outcome is read from that entry. Points are queued again too: the contract
 * counts each operation once.
 */
async function giveUpFlight(session: SenderSession, flight: InFlightTransaction): Promise<void> {
  const { db, adapter, network, address, log } = session
  const { id, kind, contract, attempts, place } = flight
  const operations = await listTransactionOperations(db, id)
  const [first] = operations
  const token = first && isTokenOperation(first) ? first : null
  const tokenId = token && getTokenId(token)
  const hash = attempts.findLast(({ empty }) => !empty)?.hash ?? ''
  const outcome = await adapter.findEffect({ kind, contract, hash, tokenId, recipient: token?.recipient ?? null })
  log.warn({ network, sender: address, place, done: outcome !== null }, 'a transaction will have no receipt')
  if (outcome) {
    await settleFinalTransactions(session, [{ id, flight, receipt: outcome }])
  } else {
    await db.transaction(async (trx) => {
      await markLost(trx, id)
      if (kind === deploy.kind) await forgetDeployment(trx, id)
      await requeueOperations(
        trx,
        operations.map((operation) => operation.id),
        null,
      )
    })
  }
  session.flights = session.flights.filter((one) => one.id !== id)
}
