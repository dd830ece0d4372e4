/** What is kept of a request: nothing of its path, its body or its address. */
export interface RequestEntry {
  organization: string
  /** When it began, in milliseconds since 1970. */
  atMs: number
  /** The operation, such as `list_dpp_passports_v1`. */
  operation: string
  status: number
  /** The code of the problem that was answered, if it has one. */
  code: string | null
  /** Milliseconds from its head to its answer. */
  ms: number
  requestId: string
  kind: 'key' | 'member'
  /** The key, or the user of the member. */
  credential: string
}

/** The number of requests of an organization that are kept. */
export const maxRequestsPerOrganization = 1_000

/** The newest entries of one organization. Once they are a thousand, `next` is the place of the oldest one. */
interface NewestEntries {
  entries: RequestEntry[]
  next: number
}

/**
 * The entries that wait to be written. Of an organization the newest thousand wait, as older ones would be removed as
 * soon as they are written. Of all organizations together at most `maxEntries` wait: what comes when there is no room is
 * dropped and counted.
 */
export class RequestBuffer {
  readonly #newest = new Map<string, NewestEntries>()
  readonly #maxEntries: number
  #size = 0
  #dropped = 0

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  /** The number of entries that wait. */
  get size(): number {
    return this.#size
  }

  /** The number of entries for which there was no room. */
  get dropped(): number {
    return this.#dropped
  }

  add(entry: RequestEntry): void {
    const newest = this.#newest.get(entry.organization)
    if (newest?.entries.length === maxRequestsPerOrganization) {
      newest.entries[newest.next] = entry
      newest.next = (newest.next + 1) % maxRequestsPerOrganization
      return
    }
    if (this.#size >= this.#maxEntries) {
      this.#dropped++
      return
    }
    this.#size++
    if (newest) newest.entries.push(entry)
    else this.#newest.set(entry.organization, { entries: [entry], next: 0 })
  }

  /** Takes all entries out, those of each organization in the order in which they came. */
  takeAll(): RequestEntry[] {
    const taken = [...this.#newest.values()].flatMap(({ entries, next }) =>
      next === 0 ? entries : [...entries.slice(next), ...entries.slice(0, next)],
    )
    this.#newest.clear()
    this.#size = 0
    return taken
  }

  /** Puts entries back that could not be written, before those that came meanwhile. */
  putBack(entries: readonly RequestEntry[]): void {
    const later = this.takeAll()
    for (const entry of [...entries, ...later]) this.add(entry)
  }
}
