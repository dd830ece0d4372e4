/** The part of a session that the cache needs. */
export interface StoredSession {
  readonly id: string
  /** A hash of the credentials that began the session. */
  readonly callerHash: string
  /** The number of requests and streams that are open now. */
  readonly openRequestCount: number
  close: () => void
}

export interface SessionLimits {
  readonly maxSessions: number
  /** The limit per caller, so that one caller cannot push out the others. */
  readonly maxSessionsPerCaller: number
  /** The idle time after which a session ends, in milliseconds. */
  readonly maxIdleMs: number
  /** False in tests that compare the two ways: then the SDK answers everything. */
  readonly bypassSdk?: boolean
}

export const defaultSessionLimits: SessionLimits = {
  maxSessions: 10_000,
  maxSessionsPerCaller: 1_000,
  maxIdleMs: 30 * 60_000,
}

interface SessionEntry<S> {
  session: S
  usedAtMs: number
}

/**
 * Sessions by id, the longest unused first. Only the credentials that began a session can find it. At a limit, the
 * longest idle session makes room; if none is idle, there is no room.
 */
export class SessionCache<S extends StoredSession> {
  readonly #limits: SessionLimits
  readonly #entries = new Map<string, SessionEntry<S>>()
  readonly #countsByCaller = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout

  constructor(limits: SessionLimits = defaultSessionLimits) {
    this.#limits = limits
    this.#sweep = setInterval(() => this.#expireSessions(), Math.min(limits.maxIdleMs, 60_000))
    this.#sweep.unref()
  }

  get size(): number {
    return this.#entries.size
  }

  /** Makes room for one more session of a caller; returns false if there is none. */
  makeRoom(callerHash: string): boolean {
    if (
      (this.#countsByCaller.get(callerHash) ?? 0) >= this.#limits.maxSessionsPerCaller
      && !this.#evictSession((session) => session.callerHash === callerHash)
    )
      return false
    return this.#entries.size < this.#limits.maxSessions || this.#evictSession(() => true)
  }

  add(session: S): void {
    this.#entries.set(session.id, { session, usedAtMs: performance.now() })
    this.#countsByCaller.set(session.callerHash, (this.#countsByCaller.get(session.callerHash) ?? 0) + 1)
  }

  /** Finds a session. Null means that there is none or that it belongs to another caller; the two look the same. */
  find(id: string, callerHash: string): S | null {
    const entry = this.#entries.get(id)
    if (!entry || entry.session.callerHash !== callerHash) return null
    this.touch(id)
    return entry.session
  }

  /** Marks a session as used now. */
  touch(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    this.#entries.set(id, { session: entry.session, usedAtMs: performance.now() })
  }

  remove(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    const left = (this.#countsByCaller.get(entry.session.callerHash) ?? 1) - 1
    if (left === 0) this.#countsByCaller.delete(entry.session.callerHash)
    else this.#countsByCaller.set(entry.session.callerHash, left)
  }

  all(): S[] {
    return [...this.#entries.values()].map(({ session }) => session)
  }

  closeAll(): void {
    clearInterval(this.#sweep)
    this.all().forEach((session) => this.#endSession(session))
  }

  #endSession(session: S): void {
    this.remove(session.id)
    session.close()
  }

  #evictSession(which: (session: S) => boolean): boolean {
    for (const { session } of this.#entries.values()) {
      if (session.openRequestCount > 0 || !which(session)) continue
      this.#endSession(session)
      return true
    }
    return false
  }

  #expireSessions(): void {
    const oldest = performance.now() - this.#limits.maxIdleMs
    for (const { session, usedAtMs } of this.#entries.values()) {
      if (usedAtMs > oldest) return
      if (session.openRequestCount === 0) this.#endSession(session)
    }
  }
}
