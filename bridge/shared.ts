import { randomUUID } from 'node:crypto'

/** What several bridge processes behind one address have in common. */
export interface Shared {
  /** There is no other process. */
  readonly alone: boolean
  /** Name of this process, part of the ids of the questions it asks. */
  readonly process: string
  endSession(id: string, seconds: number): Promise<void>
  isEnded(id: string): Promise<boolean>
  /** True the first time in so many seconds. */
  once(name: string, seconds: number): Promise<boolean>
  /** To the process that asked; false where it cannot be reached. */
  answer(process: string, message: unknown): Promise<boolean>
  onAnswer(take: (message: unknown) => void): void
  /** What ends or cancels something of a session, to every process. */
  tell(session: string, message: unknown): Promise<void>
  onTold(take: (session: string, message: unknown) => void): void
  close(): Promise<void>
}

/** One process: everything is in its memory. */
export function alone(): Shared {
  const until = new Map<string, number>()
  const live = (name: string) => (until.get(name) ?? 0) > Date.now()
  const keep = (name: string, seconds: number) => {
    if (until.size > 100_000) for (const [one, end] of until) if (end <= Date.now()) until.delete(one)
    until.set(name, Date.now() + seconds * 1000)
  }
  const name = randomUUID()
  let take: (message: unknown) => void = () => undefined
  return {
    alone: true,
    process: name,
    endSession: async (id, seconds) => keep(`ended:${id}`, seconds),
    isEnded: async (id) => live(`ended:${id}`),
    once: async (what, seconds) => {
      if (live(`once:${what}`)) return false
      keep(`once:${what}`, seconds)
      return true
    },
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
    close: async () => undefined,
  }
}
