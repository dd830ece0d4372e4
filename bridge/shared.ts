import { randomUUID } from 'node:crypto'
import type { RedisClient } from './redis.ts'

/** What several bridge processes behind one address have in common. */
export interface Shared {
  /** No other process is known of. */
  readonly alone: boolean
  /** Name of this process, part of the ids of the questions it asks. */
  readonly process: string
  /** False while the other processes cannot be reached. */
  readonly ready: boolean
  /** Resolves when the others can be reached, or it is known that they cannot. */
  readonly started: Promise<void>
  /** Every process is told `{ended: seconds}` of it. */
  endSession(id: string, seconds: number): Promise<void>
  isEnded(id: string): Promise<boolean>
  /** True the first time in so many seconds. */
  once(name: string, seconds: number): Promise<boolean>
  /** To the process that asked; false where it cannot be reached. */
  answer(process: string, message: unknown): Promise<boolean>
  onAnswer(take: (message: unknown) => void): void
  /** What cancels something of a session, to every other process. */
  tell(session: string, message: unknown): Promise<void>
  onTold(take: (session: string, message: unknown) => void): void
  /** When the others can be reached again: what they said meanwhile was not heard. */
  onBack(call: () => void): void
  /** For counting together; null where there is no Redis, or it is away. */
  redis(): RedisClient | null
  close(): Promise<void>
}

/** Names that hold for some seconds. Past its number the oldest make room. */
export class Marks {
  readonly #until = new Map<string, number>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  has(name: string): boolean {
    return (this.#until.get(name) ?? 0) > performance.now()
  }

  /** @returns whether it did not hold before */
  set(name: string, seconds: number): boolean {
    const isNew = !this.has(name)
    this.#until.delete(name)
    this.#until.set(name, performance.now() + seconds * 1000)
    if (this.#until.size > this.#most) this.#makeRoom()
    return isNew
  }

  /** Takes out everything that still holds, with the seconds that are left. */
  drain(): [string, number][] {
    const now = performance.now()
    const live = [...this.#until].filter(([, until]) => until > now)
    this.#until.clear()
    return live.map(([name, until]) => [name, Math.ceil((until - now) / 1000)])
  }

  #makeRoom(): void {
    const now = performance.now()
    for (const [name, until] of this.#until) if (until <= now) this.#until.delete(name)
    for (const name of this.#until.keys()) {
      if (this.#until.size <= this.#most) return
      this.#until.delete(name)
    }
  }
}

/** One process: everything is in its memory. */
export function alone(): Shared {
  const ended = new Marks()
  const seen = new Marks()
  const name = randomUUID()
  let take: (message: unknown) => void = () => undefined
  return {
    alone: true,
    process: name,
    ready: true,
    started: Promise.resolve(),
    endSession: async (id, seconds) => void ended.set(id, seconds),
    isEnded: async (id) => ended.has(id),
    once: async (what, seconds) => seen.set(what, seconds),
    answer: async (process, message) => {
      if (process !== name) return false
      take(message)
      return true
    },
    onAnswer: (given) => {
      take = given
    },
    tell: async () => undefined,
    onTold: () => undefined,
    onBack: () => undefined,
    redis: () => null,
    close: async () => undefined,
  }
}
