import { OverloadedError } from '../../kernel/overloaded.ts'
import { problem } from '../../kernel/problem.ts'

export interface TurnLimits {
  /** Pieces at a time, of all and of one owner: the rest is for others. */
  maxRunning: number
  maxRunningOfOwner: number
  /** Pieces that wait, of one owner and of all. */
  maxWaitingOfOwner: number
  maxWaiting: number
}

/**
 * Work is taken in turns by owner: who sends a hundred pieces waits for their own, and who sends one waits for one of
 * each at most. The line is bounded, for an owner and for all.
 */
export class Turns {
  /** Owners who wait, the next one first, each with those of their pieces that wait. */
  readonly #lines = new Map<string, (() => void)[]>()
  readonly #limits: TurnLimits
  /** How many of whose run. */
  readonly #running = new Map<string, number>()
  #waiting = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** Does a piece of work when its turn has come. @throws RATE_LIMITED, OverloadedError where the line is full */
  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(owner)) this.#count(owner, 1)
    else await this.#wait(owner)
    try {
      return await work()
    } finally {
      this.#count(owner, -1)
      this.#handOn()
    }
  }

  #hasRoom(owner: string): boolean {
    const { maxRunning, maxRunningOfOwner } = this.#limits
    const all = [...this.#running.values()].reduce((sum, each) => sum + each, 0)
    return all < maxRunning && (this.#running.get(owner) ?? 0) < maxRunningOfOwner
  }

  #count(owner: string, change: 1 | -1): void {
    const running = (this.#running.get(owner) ?? 0) + change
    if (running > 0) this.#running.set(owner, running)
    else this.#running.delete(owner)
  }

  /** Refuses who would only be refused later, as before the body is read. @throws RATE_LIMITED, OverloadedError */
  refuseFull(owner: string): void {
    if (this.#hasRoom(owner)) return
    const waiting = this.#lines.get(owner)?.length ?? 0
    if (waiting >= this.#limits.maxWaitingOfOwner) {
      throw problem('RATE_LIMITED', `${waiting} requests of yours wait for this already. Wait for one of them.`, {
        headers: { 'Retry-After': '2' },
      })
    }
    if (this.#waiting >= this.#limits.maxWaiting) throw new OverloadedError('Too many others ask for this now. Try again shortly.', 5)
  }

  #wait(owner: string): Promise<void> {
    this.refuseFull(owner)
    const line = this.#lines.get(owner) ?? []
    const turn = Promise.withResolvers<void>()
    line.push(turn.resolve)
    this.#lines.set(owner, line)
    this.#waiting++
    return turn.promise
  }

  /** Gives a free place to the next owner who may have it, and who goes to the end of the owners then. */
  #handOn(): void {
    for (const [owner, line] of this.#lines) {
      if (!this.#hasRoom(owner)) continue
      const resume = line.shift()
      this.#lines.delete(owner)
      if (line.length > 0) this.#lines.set(owner, line)
      this.#waiting--
      this.#count(owner, 1)
      return resume?.()
    }
  }
}
