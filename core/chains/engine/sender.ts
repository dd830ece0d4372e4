import { createWakeSignal, type WakeSignal } from '../wake-signal.ts'
import { NodeUnavailableError } from '../family.ts'
import { sendQueuedOperations } from './queue.ts'
import { LeaseLostError, createSenderLease, type SenderLease } from './lease.ts'
import { repairFlights } from './repair.ts'
import { loadInFlightTransactions, openSession, type SenderOptions, type SenderSession } from './session.ts'
import { SignerUnreachableError } from '../signer/client.ts'
import { recordReceipts, getWatchedFlights } from './watch.ts'

export interface Sender {
  wake(): void
  /** Finishes the current step and gives the lease back. */
  stop(): Promise<void>
}

const standbyIntervalMs = 1_000
const restartDelayMs = { min: 100, max: 2_000 }
/** Milliseconds between two polls for receipts: short while receipts arrive. */
const pollIntervalMs = { min: 15, max: 1_000 }

/** Runs the sender of one address while this process holds its lease, and stands by otherwise. */
export function runSender(options: SenderOptions, url: string): Sender {
  const wakeSignal = createWakeSignal()
  const stopping = new AbortController()
  const done = serveAddress(options, url, wakeSignal, stopping.signal)
  return {
    wake: wakeSignal.ring,
    async stop() {
      stopping.abort()
      wakeSignal.ring()
      await done
    },
  }
}

async function serveAddress(
  options: SenderOptions,
  url: string,
  wakeSignal: WakeSignal,
  signal: AbortSignal,
): Promise<void> {
  const { network, address, log } = options
  let delayMs = restartDelayMs.min
  while (!signal.aborted) {
    const lease = createSenderLease(url, `${network} ${address}`, log)
    try {
      while (!signal.aborted && !(await lease.tryTake())) await wakeSignal.sleep(standbyIntervalMs)
      while (!signal.aborted)
        await runSession(options, lease, wakeSignal, signal, () => {
          delayMs = restartDelayMs.min
        })
    } catch (cause) {
      const isExpected =
        cause instanceof NodeUnavailableError
        || cause instanceof SignerUnreachableError
        || cause instanceof LeaseLostError
      log[isExpected ? 'warn' : 'error']({ err: cause, network, sender: address }, 'a sender waits and starts again')
    } finally {
      await lease.close().catch((cause: unknown) => log.warn({ err: cause, network }, 'a lease did not close'))
    }
    if (!signal.aborted) await wakeSignal.sleep(delayMs)
    delayMs = Math.min(restartDelayMs.max, delayMs * 2)
  }
}

/** Works until the signal is aborted, or until the chain is not the one that was recorded. */
async function runSession(
  options: SenderOptions,
  lease: SenderLease,
  wakeSignal: WakeSignal,
  signal: AbortSignal,
  onHealthy: () => void,
): Promise<void> {
  const session = await openSession(options, lease.db)
  let intervalMs = pollIntervalMs.min
  let polledAtMs = -Infinity
  while (!signal.aborted) {
    const isDue = session.flights.length > 0 || performance.now() - polledAtMs >= session.pacing.idleIntervalMs
    if (isDue) polledAtMs = performance.now()
    const hasMoved = isDue && (await pollChain(session))
    if (hasMoved === 'another chain') return
    onHealthy()
    const { sent, waitMs } = await sendQueuedOperations(session)
    intervalMs = hasMoved || sent > 0 ? pollIntervalMs.min : Math.min(pollIntervalMs.max, Math.ceil(intervalMs * 1.5))
    const maxSleepMs = session.flights.length > 0 ? intervalMs : pollIntervalMs.max
    await wakeSignal.sleep(Math.min(maxSleepMs, waitMs ?? maxSleepMs))
  }
}

/**
 * Polls the chain, records receipts and recovers transactions.
 * @returns whether anything changed, or `another chain`
 */
async function pollChain(session: SenderSession): Promise<boolean | 'another chain'> {
  const { adapter } = session
  const flights = getWatchedFlights(session)
  const snapshot = await adapter.readSnapshot(flights.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)))
  session.head = snapshot.head.number
  // This check comes after the receipts were read: they are recorded only if the chain still has every recorded block.
  if (session.newestRecordedBlock !== null && !(await adapter.hasBlocks([session.newestRecordedBlock]))[0])
    return 'another chain'
  const hasMoved = await recordReceipts(session, flights, snapshot)
  if (session.hasMore && session.flights.length <= session.pacing.maxUnminedTransactions)
    await loadInFlightTransactions(session)
  await repairFlights(session, snapshot)
  return hasMoved
}
