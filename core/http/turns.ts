import { organizationOf, type Caller } from '../kernel/caller.ts'
import { Places } from '../kernel/places.ts'

/** Requests of one organization that a process works on at once; others of it wait, those of others do not. */
const maxAtOnce = 8

/**
 * Turns at the database: whoever sends hundreds of requests at once waits for their own requests and leaves connections
 * to the others. Buyers of an organization have turns beside its members and keys.
 */
export class RequestTurns {
  readonly #places = new Places(Infinity, maxAtOnce)

  async run<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const name = nameOf(caller)
    if (name === null) return work()
    await this.#places.enter(name)
    try {
      return await work()
    } finally {
      this.#places.leave(name)
    }
  }
}

function nameOf(caller: Caller): string | null {
  return caller.kind === 'endUser' ? `buyers of ${caller.organization}` : organizationOf(caller)
}
