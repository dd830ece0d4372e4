import { OverloadedError } from '../../kernel/overloaded.ts'
import { createProblem } from '../../kernel/problem.ts'

export interface FairQueueLimits {
  /** Maximum number of tasks that run at the same time, in total and per owner; the rest is left for other owners. */
  maxRunning: number
  maxRunningOfOwner: number
  /** Maximum number of tasks that wait, per owner and in total. */
  maxWaitingOfOwner: number
  maxWaiting: number
}

/**
 * A queue in which owners take turns: an owner with a hundred tasks waits for its own tasks, and an owner with one task
 * waits for at most one task of each other owner. The queue is limited per owner and in total.
 */
export class FairQueue {
  /** The owners that wait, the next one first, each with its waiting tasks. */
  readonly #waitingByOwner = new Map<string, (() => void)[]>()
  readonly #limits: FairQueueLimits
  /** Number of running tasks by owner. */
  readonly #running = new Map<string, number>()
  #waiting = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  /** Runs a task when it is the owner's turn. @throws RATE_LIMITED, OverloadedError if the queue is full */
  async runInTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(owner)) this.#changeRunning(owner, 1)
    else await this.#waitForTurn(owner)
    try {
      return await work()
    } finally {
      this.#changeRunning(owner, -1)
      this.#resumeNextOwner()
    }
  }

  #hasRoom(owner: string): boolean {
    const { maxRunning, maxRunningOfOwner } = this.#limits
    const all = [...this.#running.values()].reduce((sum, each) => sum + each, 0)
    return all < maxRunning && (this.#running.get(owner) ?? 0) < maxRunningOfOwner
  }

  #changeRunning(owner: string, change: 1 | -1): void {
    const running = (this.#running.get(owner) ?? 0) + change
    if (running > 0) this.#running.set(owner, running)
    else this.#running.delete(owner)
  }

  /**
   * Throws if a task of the owner would be refused now, so that a caller can refuse it before reading the body.
   * @throws RATE_LIMITED, OverloadedError
   */
  assertRoom(owner: string): void {
    if (this.#hasRoom(owner)) return
    const waiting = this.#waitingByOwner.get(owner)?.length ?? 0
    if (waiting >= this.#limits.maxWaitingOfOwner) {
      throw createProblem('RATE_LIMITED', `${waiting} requests of yours wait for this already. Wait for one of them.`, {
        headers: { 'Retry-After': '2' },
      })
    }
    if (this.#waiting >= this.#limits.maxWaiting)
      throw new OverloadedError('Too many others ask for this now. Try again shortly.', 5)
  }

  #waitForTurn(owner: string): Promise<void> {
    this.assertRoom(owner)
    const line = this.#waitingByOwner.get(owner) ?? []
    const turn = Promise.withResolvers<void>()
    line.push(turn.resolve)
    this.#waitingByOwner.set(owner, line)
    this.#waiting++
    return turn.promise
  }

  /** Gives a free slot to the next owner that may use it, and moves that owner to the end of the line. */
  #resumeNextOwner(): void {
    for (const [owner, line] of this.#waitingByOwner) {
      if (!this.#hasRoom(owner)) continue
      const resume = line.shift()
      this.#waitingByOwner.delete(owner)
      if (line.length > 0) this.#waitingByOwner.set(owner, line)
      this.#waiting--
      this.#changeRunning(owner, 1)
      return resume?.()
    }
  }
}
