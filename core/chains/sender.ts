import { createBell, type Bell } from './bell.ts'
import { NodeUnavailable } from './family.ts'
import { feed } from './feed.ts'
import { LeaseLost, leaseOf, type Lease } from './lease.ts'
import { mend } from './mend.ts'
import { loadFlights, openSession, type Duty, type Session } from './session.ts'
import { SignerUnreachable } from './signer/client.ts'
import { record, watched } from './watch.ts'

export interface Sender {
  ring(): void
  /** Finishes the step in hand and gives the lease back. */
  stop(): Promise<void>
}

const standby = 1_000
const trouble = { least: 100, most: 2_000 }
/** Milliseconds between two looks for receipts: short while they come. */
const poll = { least: 15, most: 1_000 }

/** Runs the sender of one address for as long as this process holds its lease; else stands by. */
export function runSender(duty: Duty, url: string): Sender {
  const bell = createBell()
  const stopping = new AbortController()
  const done = serve(duty, url, bell, stopping.signal)
  return {
    ring: bell.ring,
    async stop() {
      stopping.abort()
      bell.ring()
      await done
    },
  }
}

async function serve(duty: Duty, url: string, bell: Bell, signal: AbortSignal): Promise<void> {
  const { network, address, log } = duty
  let pause = trouble.least
  while (!signal.aborted) {
    const lease = leaseOf(url, `${network} ${address}`, log)
    try {
      while (!signal.aborted && !await lease.take()) await bell.sleep(standby)
      while (!signal.aborted) await work(duty, lease, bell, signal, () => { pause = trouble.least })
    } catch (cause) {
      const known = cause instanceof NodeUnavailable || cause instanceof SignerUnreachable || cause instanceof LeaseLost
      log[known ? 'warn' : 'error']({ err: cause, network, sender: address }, 'a sender waits and starts again')
    } finally {
      await lease.close().catch((cause: unknown) => log.warn({ err: cause, network }, 'a lease did not close'))
    }
    if (!signal.aborted) await bell.sleep(pause)
    pause = Math.min(trouble.most, pause * 2)
  }
}

/** Works until it is to stop, or until the chain is another one than was recorded. */
async function work(duty: Duty, lease: Lease, bell: Bell, signal: AbortSignal, well: () => void): Promise<void> {
  const session = await openSession(duty, lease.db)
  let quiet = poll.least
  let looked = -Infinity
  while (!signal.aborted) {
    const due = session.flights.length > 0 || performance.now() - looked >= session.pace.idle
    if (due) looked = performance.now()
    const moved = due && await look(session)
    if (moved === 'another chain') return
    well()
    const { sent, wait } = await feed(session)
    quiet = moved || sent > 0 ? poll.least : Math.min(poll.most, Math.ceil(quiet * 1.5))
    const most = session.flights.length > 0 ? quiet : poll.most
    await bell.sleep(Math.min(most, wait ?? most))
  }
}

/** Asks the chain, and records and mends what its answer calls for. @returns whether anything moved */
async function look(session: Session): Promise<boolean | 'another chain'> {
  const { family } = session
  const flights = watched(session)
  const view = await family.view(flights.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)))
  session.head = view.head.number
  // After the receipts: what they say is only recorded on the chain that has everything recorded before.
  if (session.anchor !== null && !(await family.knows([session.anchor]))[0]) return 'another chain'
  const moved = await record(session, flights, view)
  if (session.more && session.flights.length <= session.pace.window) await loadFlights(session)
  await mend(session, view)
  return moved
}
