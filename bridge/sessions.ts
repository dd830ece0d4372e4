/** What the store needs of a session. */
export interface Kept {
  readonly id: string
  /** Stands for the credentials that began it. */
  readonly owner: string
  /** Requests and streams that are open now. */
  readonly open: number
  close: () => void
}

export interface Limits {
  readonly total: number
  /** Of one owner, so that one caller cannot push out the others. */
  readonly each: number
  /** Idle time after which a session ends, in milliseconds. */
  readonly idle: number
  /** False: nothing is answered beside the SDK's servers. For tests, which hold the two ways equal. */
  readonly quick?: boolean
}

export const usualLimits: Limits = { total: 10_000, each: 1_000, idle: 30 * 60_000 }

interface Entry<S> {
  session: S
  used: number
}

/**
 * Sessions by id, the longest unused first. A session is found only by the credentials that began it. Past a limit the
 * longest idle one makes room; where none is idle, there is no room.
 */
export class Sessions<S extends Kept> {
  readonly #limits: Limits
  readonly #entries = new Map<string, Entry<S>>()
  readonly #owned = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout

  constructor(limits: Limits = usualLimits) {
    this.#limits = limits
    this.#sweep = setInterval(() => this.#expire(), Math.min(limits.idle, 60_000))
    this.#sweep.unref()
  }

  get size(): number {
    return this.#entries.size
  }

  /** Makes room for one more session of this owner; false where there is none. */
  makeRoom(owner: string): boolean {
    if ((this.#owned.get(owner) ?? 0) >= this.#limits.each && !this.#evict((session) => session.owner === owner))
      return false
    return this.#entries.size < this.#limits.total || this.#evict(() => true)
  }

  add(session: S): void {
    this.#entries.set(session.id, { session, used: performance.now() })
    this.#owned.set(session.owner, (this.#owned.get(session.owner) ?? 0) + 1)
  }

  /** Null where there is none, or it is somebody else's: the two cannot be told apart. */
  find(id: string, owner: string): S | null {
    const entry = this.#entries.get(id)
    if (!entry || entry.session.owner !== owner) return null
    this.touch(id)
    return entry.session
  }

  /** It is in use now. */
  touch(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    this.#entries.set(id, { session: entry.session, used: performance.now() })
  }

  remove(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    const left = (this.#owned.get(entry.session.owner) ?? 1) - 1
    if (left === 0) this.#owned.delete(entry.session.owner)
    else this.#owned.set(entry.session.owner, left)
  }

  all(): S[] {
    return [...this.#entries.values()].map(({ session }) => session)
  }

  closeAll(): void {
    clearInterval(this.#sweep)
    this.all().forEach((session) => this.#end(session))
  }

  #end(session: S): void {
    this.remove(session.id)
    session.close()
  }

  #evict(which: (session: S) => boolean): boolean {
    for (const { session } of this.#entries.values()) {
      if (session.open > 0 || !which(session)) continue
      this.#end(session)
      return true
    }
    return false
  }

  #expire(): void {
    const oldest = performance.now() - this.#limits.idle
    for (const { session, used } of this.#entries.values()) {
      if (used > oldest) return
      if (session.open === 0) this.#end(session)
    }
  }
}
