import { setTimeout as sleep } from 'node:timers/promises'
import type { JobType } from '../../kernel/job.ts'

/** Milliseconds from which a step is long: it then affects the rest of this process and the database. */
const longStepMs = 20
/**
 * Milliseconds for which an organization counts as working after its last job, because its next job may follow soon.
 */
const recentMs = 2_000
/** Length of the rest after a long step, as a multiple of the step: two thirds of the time are left for others. */
const restFactor = 2
/** Milliseconds between two checks whether the next step may begin. */
const lookIntervalMs = 20

/** The steps of one organization's jobs of one type. */
interface StepLine {
  underWay: number
  isLong: boolean
  restsUntilMs: number
  waiting: (() => void)[]
}

/**
 * The work of an organization in this process. `resting` is the number of its jobs that wait to begin their next step.
 */
interface OrganizationWork {
  jobs: number
  resting: number
  endedAt: number
  lines: Map<JobType, StepLine>
}

/**
 * The turns of steps, which decide when a step begins, because a step of one job may occupy a processor and the
 * database for seconds. While other organizations also work in this process, long steps of one organization's jobs of
 * one type run one after the other, with a rest of twice its length after each. An organization that works alone never
 * waits.
 */
export class StepTurns {
  readonly #working = new Map<string, OrganizationWork>()

  /** Records that a job of the organization begins. */
  enter(organization: string): void {
    this.#getWork(organization).jobs++
  }

  /** Records that a job of the organization has ended. */
  leave(organization: string): void {
    const working = this.#getWork(organization)
    working.jobs--
    working.endedAt = performance.now()
  }

  /** Runs a step of a job when its turn comes. @throws the reason of the signal, if it is aborted before that */
  async runStep<T>(organization: string, type: JobType, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const line = this.#getLine(organization, type)
    if (line.waiting.length > 0 || this.#mustWait(organization, line))
      await this.#waitForTurn(organization, line, signal)
    else line.underWay++
    const began = performance.now()
    try {
      return await step()
    } finally {
      const now = performance.now()
      line.underWay--
      line.isLong = now - began >= longStepMs
      if (line.isLong) line.restsUntilMs = now + restFactor * (now - began)
    }
  }

  /** Returns true if other organizations work in this process, or did a moment ago. */
  isShared(organization: string): boolean {
    const now = performance.now()
    for (const [other, { jobs, resting, endedAt }] of this.#working) {
      const isLately = now - endedAt < recentMs
      if (jobs === 0 && !isLately) this.#working.delete(other)
      else if (other !== organization && (jobs > resting || isLately)) return true
    }
    return false
  }

  async #waitForTurn(organization: string, line: StepLine, signal: AbortSignal): Promise<void> {
    const working = this.#getWork(organization)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      line.waiting = line.waiting.filter((one) => one !== resolve)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    working.resting++
    if (line.waiting.push(resolve) === 1) void this.#admitSteps(organization, line)
    try {
      await promise
    } finally {
      working.resting--
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Starts the waiting steps one after the other until none is left. */
  async #admitSteps(organization: string, line: StepLine): Promise<void> {
    while (line.waiting.length > 0) {
      if (this.#mustWait(organization, line)) {
        await sleep(lookIntervalMs)
        continue
      }
      line.underWay++
      line.waiting.shift()?.()
    }
  }

  #mustWait(organization: string, { underWay, isLong, restsUntilMs }: StepLine): boolean {
    if (!isLong || (underWay === 0 && performance.now() >= restsUntilMs)) return false
    return this.isShared(organization)
  }

  #getLine(organization: string, type: JobType): StepLine {
    const { lines } = this.#getWork(organization)
    const line = lines.get(type) ?? { underWay: 0, isLong: false, restsUntilMs: 0, waiting: [] }
    lines.set(type, line)
    return line
  }

  #getWork(organization: string): OrganizationWork {
    const working = this.#working.get(organization) ?? { jobs: 0, resting: 0, endedAt: -Infinity, lines: new Map() }
    this.#working.set(organization, working)
    return working
  }
}
