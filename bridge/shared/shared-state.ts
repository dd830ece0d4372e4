import { randomUUID } from 'node:crypto'
import type { RedisClient } from './redis-shared-state.ts'

/** The state that several bridge processes behind one address share. */
export interface SharedState {
  /** True if there are no other processes to share with. */
  readonly isAlone: boolean
  /** The name of this process, which is part of the ids of its questions. */
  readonly processId: string
  /** False while the other processes cannot be reached. */
  readonly isReady: boolean
  /** Resolves when the others can be reached, or when it is known that they cannot. */
  readonly started: Promise<void>
  /** Ends a session and sends the notice `{ended: seconds}` to every other process. */
  endSession(id: string, seconds: number): Promise<void>
  isEnded(id: string): Promise<boolean>
  /** Claims a name for some seconds. Returns true only for the first claim within that time. */
  claimOnce(name: string, seconds: number): Promise<boolean>
  /** Keeps bytes under a name for some seconds, in place of what was there. The names bound what is kept. */
  keepBytes(name: string, bytes: Buffer, seconds: number): Promise<void>
  /** Returns what is kept under a name: by this process alone while the others could not be reached, and by all. */
  readBytes(name: string): Promise<Buffer[]>
  /** Delivers an answer to the process that asked; returns false if that process cannot be reached. */
  deliverAnswer(process: string, message: unknown): Promise<boolean>
  onAnswer(take: (message: unknown) => void): void
  /** Sends a notice about a session to every other process, for example that a request was cancelled. */
  notifySession(session: string, message: unknown): Promise<void>
  onNotice(take: (session: string, message: unknown) => void): void
  /** Sets the callback for when the others can be reached again. Notices sent meanwhile were missed. */
  onReconnect(call: () => void): void
  /** Returns the client for counting together; null if there is no Redis, or it is away. */
  getRedis(): RedisClient | null
  close(): Promise<void>
}

/** Names that expire after some seconds. Above the highest number of names the oldest make room. */
export class ExpiringNames {
  readonly #expiryTimes = new Map<string, number>()
  readonly #maxNames: number

  constructor(maxNames = 100_000) {
    this.#maxNames = maxNames
  }

  has(name: string): boolean {
    return (this.#expiryTimes.get(name) ?? 0) > performance.now()
  }

  /** Adds a name. @returns whether the name was new or had expired */
  set(name: string, seconds: number): boolean {
    const isNew = !this.has(name)
    this.#expiryTimes.delete(name)
    this.#expiryTimes.set(name, performance.now() + seconds * 1000)
    if (this.#expiryTimes.size > this.#maxNames) this.#makeRoom()
    return isNew
  }

  /** Removes all names and returns those that have not expired, with the seconds that are left. */
  takeLiving(): [string, number][] {
    const now = performance.now()
    const live = [...this.#expiryTimes].filter(([, until]) => until > now)
    this.#expiryTimes.clear()
    return live.map(([name, until]) => [name, Math.ceil((until - now) / 1000)])
  }

  #makeRoom(): void {
    const now = performance.now()
    for (const [name, until] of this.#expiryTimes) if (until <= now) this.#expiryTimes.delete(name)
    for (const name of this.#expiryTimes.keys()) {
      if (this.#expiryTimes.size <= this.#maxNames) return
      this.#expiryTimes.delete(name)
    }
  }
}

/** Bytes in the memory of this process, which are dropped when their time is over. */
export class ExpiringBytes {
  readonly #entries = new Map<string, { bytes: Buffer; timer: NodeJS.Timeout }>()

  set(name: string, bytes: Buffer, seconds: number): void {
    this.delete(name)
    this.#entries.set(name, { bytes, timer: setTimeout(() => this.delete(name), seconds * 1000).unref() })
  }

  /** Returns the bytes of a name, or nothing. */
  list(name: string): Buffer[] {
    const entry = this.#entries.get(name)
    return entry ? [entry.bytes] : []
  }

  delete(name: string): void {
    clearTimeout(this.#entries.get(name)?.timer)
    this.#entries.delete(name)
  }
}

/** Creates the state of a single process, which is kept in its memory. */
export function createLocalState(): SharedState {
  const endedSessions = new ExpiringNames()
  const claimedNames = new ExpiringNames()
  const keptBytes = new ExpiringBytes()
  const name = randomUUID()
  let receiveAnswer: (message: unknown) => void = () => undefined
  return {
    isAlone: true,
    processId: name,
    isReady: true,
    started: Promise.resolve(),
    endSession: async (id, seconds) => void endedSessions.set(id, seconds),
    isEnded: async (id) => endedSessions.has(id),
    claimOnce: async (what, seconds) => claimedNames.set(what, seconds),
    keepBytes: async (what, bytes, seconds) => keptBytes.set(what, bytes, seconds),
    readBytes: async (what) => keptBytes.list(what),
    deliverAnswer: async (process, message) => {
      if (process !== name) return false
      receiveAnswer(message)
      return true
    },
    onAnswer: (receive) => {
      receiveAnswer = receive
    },
    notifySession: async () => undefined,
    onNotice: () => undefined,
    onReconnect: () => undefined,
    getRedis: () => null,
    close: async () => undefined,
  }
}
