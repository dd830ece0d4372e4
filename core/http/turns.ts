import { organizationOf, type Caller } from '../kernel/caller.ts'
import { Places } from '../kernel/places.ts'
import { UnavailableError } from '../kernel/unavailable.ts'

/** Requests that a process works on at once, of one organization while it is alone, and at least beside others. */
const atOnce = { alone: 8, beside: 2 }
/**
 * The longest wait for a turn. While the database is away those who have a turn keep it until they are answered, so the
 * others are answered before them instead of after them.
 */
const maxWaitMs = 3_000
/** Milliseconds after a request for which its sender counts as one who has a share. */
const present = 1_000

/**
 * Turns at the processor and the database: whoever sends hundreds of requests at once waits for their own requests, and
 * leaves time and connections to the others, the more of them there are. Buyers of an organization have turns beside its
 * members and keys; who is nobody in particular has no turn of his own, and counts as one of the others.
 */
export class RequestTurns {
  readonly #places = new Places(Infinity, () => Math.max(atOnce.beside, Math.floor(atOnce.alone / this.#seen.size)))
  /** When each was seen last, the newest behind. */
  readonly #seen = new Map<string, number>()

  run<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const name = nameOf(caller)
    this.#note(name ?? '')
    return name === null ? work() : this.#inTurn(name, work)
  }

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (!this.#places.enterNow(name) && !await this.#places.enter(name, maxWaitMs)) {
      throw new UnavailableError('Too many requests of yours wait for their turn.')
    }
    try {
      return await work()
    } finally {
      this.#places.leave(name)
    }
  }

  #note(name: string): void {
    const now = performance.now()
    this.#seen.delete(name)
    this.#seen.set(name, now)
    for (const [each, last] of this.#seen) {
      if (now - last <= present) return
      this.#seen.delete(each)
    }
  }
}

function nameOf(caller: Caller): string | null {
  return caller.kind === 'endUser' ? `buyers of ${caller.organization}` : organizationOf(caller)
}
