import { setTimeout as sleep } from 'node:timers/promises'
import type { JobType } from '../kernel/job.ts'

/** Milliseconds of a step from which on the rest of this process and of the database notice it. */
const long = 20
/** Milliseconds for which an organization counts as working after its last job: its next one may be on its way. */
const lately = 2_000
/** How often the length of a step its rest is: two thirds of the time are for the others. */
const rest = 2
/** Milliseconds between two looks at whether the next step may begin. */
const lookEvery = 20

/** The steps of one organization's jobs of one type. */
interface Line { underWay: number; isLong: boolean; restsUntil: number; waiting: (() => void)[] }

/** What an organization does here. `resting`: its jobs that wait for the turn of their next step. */
interface Working { jobs: number; resting: number; endedAt: number; lines: Map<JobType, Line> }

/**
 * Whose next step begins when, as a step of one job may keep a processor and the database busy for seconds. While other
 * organizations work in this process too, long steps of one organization's jobs of one type go one after the other, and
 * after each of them comes a rest of twice its length. Alone nobody waits.
 */
export class StepTurns {
  readonly #working = new Map<string, Working>()

  /** A job of that organization begins. */
  enter(organization: string): void {
    this.#of(organization).jobs++
  }

  /** One of its jobs has ended, or waits for something else than its turn. */
  leave(organization: string): void {
    const working = this.#of(organization)
    working.jobs--
    working.endedAt = performance.now()
  }

  /** Does a step of a job in its turn. @throws the reason of the signal, when it is aborted before */
  async take<T>(organization: string, type: JobType, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const line = this.#line(organization, type)
    if (line.waiting.length > 0 || this.#mustWait(organization, line)) await this.#turn(organization, line, signal)
    else line.underWay++
    const began = performance.now()
    try {
      return await step()
    } finally {
      const now = performance.now()
      line.underWay--
      line.isLong = now - began >= long
      if (line.isLong) line.restsUntil = now + rest * (now - began)
    }
  }

  /** Whether other organizations work in this process, or did a moment ago. */
  isShared(organization: string): boolean {
    const now = performance.now()
    for (const [other, { jobs, resting, endedAt }] of this.#working) {
      const isLately = now - endedAt < lately
      if (jobs === 0 && !isLately) this.#working.delete(other)
      else if (other !== organization && (jobs > resting || isLately)) return true
    }
    return false
  }

  async #turn(organization: string, line: Line, signal: AbortSignal): Promise<void> {
    const working = this.#of(organization)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      line.waiting = line.waiting.filter((one) => one !== resolve)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    working.resting++
    if (line.waiting.push(resolve) === 1) void this.#admit(organization, line)
    try {
      await promise
    } finally {
      working.resting--
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Lets those that wait begin, one after the other, until nobody waits. */
  async #admit(organization: string, line: Line): Promise<void> {
    while (line.waiting.length > 0) {
      if (this.#mustWait(organization, line)) {
        await sleep(lookEvery)
        continue
      }
      line.underWay++
      line.waiting.shift()?.()
    }
  }

  #mustWait(organization: string, { underWay, isLong, restsUntil }: Line): boolean {
    if (!isLong || (underWay === 0 && performance.now() >= restsUntil)) return false
    return this.isShared(organization)
  }

  #line(organization: string, type: JobType): Line {
    const { lines } = this.#of(organization)
    const line = lines.get(type) ?? { underWay: 0, isLong: false, restsUntil: 0, waiting: [] }
    lines.set(type, line)
    return line
  }

  #of(organization: string): Working {
    const working = this.#working.get(organization) ?? { jobs: 0, resting: 0, endedAt: -Infinity, lines: new Map() }
    this.#working.set(organization, working)
    return working
  }
}
