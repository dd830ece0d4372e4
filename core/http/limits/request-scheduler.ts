import { getCallerOrganization, type Caller } from '../../kernel/caller.ts'
import { SlotPool } from '../../kernel/process/slot-pool.ts'
import { UnavailableError } from '../../kernel/unavailable.ts'

/**
 * Number of requests that a process handles at the same time for one organization: `alone` is the maximum without other
 * organizations, `beside` the minimum that is left beside others.
 */
const maxConcurrentRequests = { alone: 8, beside: 2 }
/** Number of requests that share a transaction with others which count as one: each costs a small part of it. */
const requestsPerSharedTurn = 8
/**
 * Maximum wait for a turn. While the database is away, running requests keep their turns until they are answered;
 * waiting requests are then answered first.
 */
const maxWaitMs = 3_000
/** Milliseconds after its last request for which a sender counts as present. */
const presenceMs = 1_000

/**
 * The turns of requests. Each organization may use the processor and the database for a few requests at the same time;
 * the more organizations are present, the fewer. An organization that sends hundreds of requests at once waits for its
 * own requests. Its buyers have separate turns beside its members and keys. Anonymous requests do not wait, and
 * together count as one more sender.
 */
export class RequestScheduler {
  readonly #slots = new SlotPool(Infinity, () => this.#countTurns())
  /** The turns of requests that share transactions: there have to be many at a time for a transaction to be shared. */
  readonly #sharedSlots = new SlotPool(Infinity, () => requestsPerSharedTurn * this.#countTurns())
  /** Time of the last request of each sender, the latest at the end. */
  readonly #lastSeen = new Map<string, number>()

  runInTurn<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#runInSlot(this.#slots, caller, work)
  }

  /** Runs work that shares its transaction with other requests. */
  runInSharedTurn<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#runInSlot(this.#sharedSlots, caller, work)
  }

  async #runInSlot<T>(slots: SlotPool, caller: Caller, work: () => Promise<T>): Promise<T> {
    const name = getTurnOwner(caller)
    this.#recordSeen(name ?? '')
    if (name === null) return work()
    if (!slots.tryAcquire(name) && !(await slots.acquire(name, maxWaitMs))) {
      throw new UnavailableError('Too many requests of yours wait for their turn.')
    }
    try {
      return await work()
    } finally {
      slots.release(name)
    }
  }

  #countTurns(): number {
    return Math.max(maxConcurrentRequests.beside, Math.floor(maxConcurrentRequests.alone / this.#lastSeen.size))
  }

  #recordSeen(name: string): void {
    const now = performance.now()
    this.#lastSeen.delete(name)
    this.#lastSeen.set(name, now)
    for (const [each, last] of this.#lastSeen) {
      if (now - last <= presenceMs) return
      this.#lastSeen.delete(each)
    }
  }
}

function getTurnOwner(caller: Caller): string | null {
  return caller.kind === 'endUser' ? `buyers of ${caller.organization}` : getCallerOrganization(caller)
}
