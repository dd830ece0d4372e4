import { setTimeout as sleep } from 'node:timers/promises'
import type { JobDeclaration, JobError, Outcome } from '../kernel/job.ts'
import type { Context } from '../kernel/work.ts'
import { errorOf, failForGood } from './failing.ts'
import type { Handlers } from './handlers.ts'
import type { LeasedRow, Leases, Parking } from './leases.ts'
import { backoffSeconds } from './retry.ts'
import { HandedBack, LeasedRun, LeaseLost } from './run.ts'
import { StepTurns } from './step-turns.ts'

export interface RunnerOptions {
  context: Context
  handlers: Handlers
  leases: Leases
  backoff: { least: number; most: number }
  patience: number
}

/** Attempts to give back what a failed job held, before it ends without. */
const abandonAttempts = 10
/** Attempts to write an outcome, over about as long as a lease. */
const writeAttempts = 7
/** Runs whose outcome may still be on its way to the database while others start. */
const unwrittenAtMost = 500

/** How a handler ended: by an outcome, or by what it threw. */
type Ending = { outcome: Outcome } | { cause: unknown }

/** Runs leased jobs of this process, each to its outcome. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #runs = new Map<LeasedRun, Promise<void>>()
  readonly #steps = new StepTurns()
  #stopping = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /**
   * Resolves when there is room for another: the handler has returned, its outcome is being written. Never rejects.
   * @param place when it may begin; its job is held until then @returns milliseconds that the handler took
   */
  async run(row: LeasedRow, place?: Promise<void>): Promise<number> {
    const { context, handlers, patience } = this.#options
    const declaration = handlers.get(row.type)
    if (!declaration) throw new Error(`A job of type ${row.type} was taken without a handler`)
    const run = new LeasedRun({ context, row, declaration, steps: this.#steps, patience })
    let began = 0
    let took = 0
    const begin = async () => {
      if (place) await place
      began = performance.now()
      return this.#endingOf(run, declaration)
    }
    const ending = begin().then((how) => {
      took = performance.now() - began
      return how
    })
    const settled = ending
      .then((how) => this.#write(run, () => this.#settle(run, declaration, how)))
      .finally(() => this.#runs.delete(run))
    this.#runs.set(run, settled)
    await (this.#runs.size > unwrittenAtMost ? settled : ending)
    return took
  }

  /** Gives up the runs that are stuck. */
  check(): void {
    const now = performance.now()
    for (const run of this.#runs.keys()) run.check(now)
  }

  /** The holders of all runs. */
  held(): string[] {
    return [...this.#runs.keys()].map(({ holder }) => holder)
  }

  /** Renews what is held, ends the runs that have lost their job. */
  async renew(): Promise<void> {
    const runs = [...this.#runs.keys()]
    if (runs.length === 0) return
    const holding = await this.#options.leases.renew(runs.map(({ job, holder }) => ({ id: job.id, holder })))
    for (const run of runs) {
      if (!holding.has(run.holder)) run.end(new LeaseLost(`job ${run.job.id} is in other hands`))
    }
  }

  /** Asks every run to end after its step in hand, hands the jobs back. @param patience milliseconds */
  async stop(patience: number): Promise<void> {
    this.#stopping = true
    const reason = new HandedBack('the worker is stopping')
    for (const run of this.#runs.keys()) run.end(reason)
    const late = new AbortController()
    const time = sleep(patience, undefined, { signal: late.signal }).catch(() => undefined)
    await Promise.race([Promise.all(this.#runs.values()), time])
    late.abort()
    await Promise.all([...this.#runs.keys()].map((run) => this.#park(run, 'handback', 0)))
  }

  async #endingOf(run: LeasedRun, declaration: JobDeclaration<unknown>): Promise<Ending> {
    if (this.#stopping) return { cause: new HandedBack('the worker is stopping') }
    const { attempts } = declaration
    if (run.attempts > attempts) return { outcome: { status: 'failed', ...errorOf(undefined, attempts) } }
    try {
      return { outcome: await run.outcome() }
    } catch (cause) {
      return { cause }
    }
  }

  /** Writes an outcome through a short absence of the database; after a long one the job runs again. */
  async #write(run: LeasedRun, settle: () => Promise<void>): Promise<void> {
    const { log } = this.#options.context
    for (let attempt = 1; attempt <= writeAttempts; attempt++) {
      try {
        return await settle()
      } catch (cause) {
        log.error({ err: cause, job: run.job.id, attempt }, 'the outcome of a run could not be written')
      }
      if (attempt < writeAttempts) await sleep(1_000 * backoffSeconds(attempt, { least: 0.25, most: 2 }))
    }
  }

  async #settle(run: LeasedRun, declaration: JobDeclaration<unknown>, ending: Ending): Promise<void> {
    if ('cause' in ending) return this.#thrown(run, declaration, ending.cause)
    const { outcome } = ending
    if (outcome.status === 'waiting') return this.#park(run, 'waiting', outcome.seconds)
    if (outcome.status === 'failed') return this.#fail(run, declaration, { ...outcome, line: 0 })
    await this.#options.leases.complete({ id: run.job.id, holder: run.holder, result: outcome.result })
  }

  async #thrown(run: LeasedRun, declaration: JobDeclaration<unknown>, cause: unknown): Promise<void> {
    const { log } = this.#options.context
    if (cause instanceof LeaseLost) return log.warn({ job: run.job.id }, 'a run has lost its job')
    if (cause instanceof HandedBack) return this.#park(run, 'handback', 0)
    const { id, type } = run.job
    const { attempts } = declaration
    log.warn({ err: cause, job: id, type, attempt: run.attempts, of: attempts }, 'a run of a job has failed')
    if (run.attempts >= attempts) return this.#fail(run, declaration, errorOf(cause, run.attempts))
    await this.#park(run, 'retry', backoffSeconds(run.attempts, this.#options.backoff))
  }

  async #fail(run: LeasedRun, declaration: JobDeclaration<unknown>, { line, code, message }: JobError): Promise<void> {
    const { context, backoff } = this.#options
    const { job, holder } = run
    const abandon = run.attempts <= declaration.attempts + abandonAttempts
    if (!abandon) context.log.error({ job: job.id, type: job.type }, 'a job failed without giving back what it held')
    try {
      await failForGood({ context, declaration, job, holder, error: { line, code, message }, abandon })
    } catch (cause) {
      if (cause instanceof LeaseLost) return
      context.log.error({ err: cause, job: job.id }, 'a job could not be failed')
      await this.#park(run, 'retry', backoffSeconds(run.attempts, backoff))
    }
  }

  async #park({ job, holder }: LeasedRun, kind: Parking['kind'], seconds: number): Promise<void> {
    const due = await this.#options.leases.park({ id: job.id, holder, kind, seconds })
    if (due) this.#options.context.queue.ring(job.id)
  }
}
