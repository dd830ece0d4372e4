import { setTimeout as sleep } from 'node:timers/promises'
import type { JobDeclaration, JobError, JobOutcome } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import { toJobError, failJob } from './failure.ts'
import type { Handlers } from './handlers.ts'
import type { LeasedJobRow, JobLeases, JobParking } from './leases.ts'
import { computeBackoffSeconds } from './backoff.ts'
import { HandedBackError, LeasedRun, LeaseLostError } from './run.ts'
import { StepTurns } from './step-turns.ts'

export interface RunnerOptions {
  context: Context
  handlers: Handlers
  leases: JobLeases
  backoff: { minSeconds: number; maxSeconds: number }
  handlerTimeoutMs: number
}

/** Maximum number of attempts of `handleFailure`; after that the job fails without it. */
const maxAbandonAttempts = 10
/** Maximum number of attempts to write an outcome, which take about as long as a lease. */
const maxWriteAttempts = 7
/** Maximum number of runs whose outcome is still being written while further runs start. */
const maxUnwrittenRuns = 500

/** How a handler ended: with an outcome, or with an error. */
type RunEnding = { outcome: JobOutcome } | { cause: unknown }

/** The runner of the jobs that this process has leased. Each job runs until its outcome is written. */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #runs = new Map<LeasedRun, Promise<void>>()
  readonly #steps = new StepTurns()
  #stopping = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /**
   * Runs a job. Resolves when there is room for another one: the handler has returned, and its outcome is being
   * written. Never rejects, except for a job type without a handler.
   * @param placeReady resolves when the run may begin; the job's lease is held until then
   * @returns the milliseconds that the handler took
   */
  async runJob(row: LeasedJobRow, placeReady?: Promise<void>): Promise<number> {
    const { context, handlers, handlerTimeoutMs } = this.#options
    const declaration = handlers.get(row.type)
    if (!declaration) throw new Error(`A job of type ${row.type} was taken without a handler`)
    const run = new LeasedRun({ context, row, declaration, steps: this.#steps, handlerTimeoutMs })
    let startedAtMs = 0
    let elapsedMs = 0
    const begin = async () => {
      if (placeReady) await placeReady
      startedAtMs = performance.now()
      return this.#endingOf(run, declaration)
    }
    const ending = begin().then((how) => {
      elapsedMs = performance.now() - startedAtMs
      return how
    })
    const settled = ending
      .then((how) => this.#writeOutcome(run, () => this.#settleRun(run, declaration, how)))
      .finally(() => this.#runs.delete(run))
    this.#runs.set(run, settled)
    await (this.#runs.size > maxUnwrittenRuns ? settled : ending)
    return elapsedMs
  }

  /** Gives up the runs that are stuck. */
  checkRuns(): void {
    const now = performance.now()
    for (const run of this.#runs.keys()) run.checkProgress(now)
  }

  /** Lists the lease holders of all runs. */
  listHolders(): string[] {
    return [...this.#runs.keys()].map(({ holder }) => holder)
  }

  /** Renews the leases of all runs, and ends the runs that have lost their job. */
  async renewLeases(): Promise<void> {
    const runs = [...this.#runs.keys()]
    if (runs.length === 0) return
    const holding = await this.#options.leases.renewLeases(runs.map(({ job, holder }) => ({ id: job.id, holder })))
    for (const run of runs) {
      if (!holding.has(run.holder)) run.endRun(new LeaseLostError(`job ${run.job.id} is in other hands`))
    }
  }

  /**
   * Asks all runs to end after their current step, and returns their jobs. @param timeoutMs milliseconds to wait for
   * the runs
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true
    const reason = new HandedBackError('the worker is stopping')
    for (const run of this.#runs.keys()) run.endRun(reason)
    const late = new AbortController()
    const time = sleep(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined)
    await Promise.race([Promise.all(this.#runs.values()), time])
    late.abort()
    await Promise.all([...this.#runs.keys()].map((run) => this.#parkJob(run, 'handback', 0)))
  }

  async #endingOf(run: LeasedRun, declaration: JobDeclaration<unknown>): Promise<RunEnding> {
    if (this.#stopping) return { cause: new HandedBackError('the worker is stopping') }
    const { maxAttempts } = declaration
    if (run.attempts > maxAttempts) return { outcome: { status: 'failed', ...toJobError(undefined, maxAttempts) } }
    try {
      return { outcome: await run.runHandler() }
    } catch (cause) {
      return { cause }
    }
  }

  /** Writes an outcome, with retries while the database is away. If it stays away, the job runs again. */
  async #writeOutcome(run: LeasedRun, settle: () => Promise<void>): Promise<void> {
    const { log } = this.#options.context
    for (let attempt = 1; attempt <= maxWriteAttempts; attempt++) {
      try {
        return await settle()
      } catch (cause) {
        log.error({ err: cause, job: run.job.id, attempt }, 'the outcome of a run could not be written')
      }
      if (attempt < maxWriteAttempts)
        await sleep(1_000 * computeBackoffSeconds(attempt, { minSeconds: 0.25, maxSeconds: 2 }))
    }
  }

  async #settleRun(run: LeasedRun, declaration: JobDeclaration<unknown>, ending: RunEnding): Promise<void> {
    if ('cause' in ending) return this.#handleError(run, declaration, ending.cause)
    const { outcome } = ending
    if (outcome.status === 'waiting') return this.#parkJob(run, 'waiting', outcome.delaySeconds)
    if (outcome.status === 'failed') return this.#failJob(run, declaration, { ...outcome, line: 0 })
    await this.#options.leases.completeJob({ id: run.job.id, holder: run.holder, result: outcome.result })
  }

  async #handleError(run: LeasedRun, declaration: JobDeclaration<unknown>, cause: unknown): Promise<void> {
    const { log } = this.#options.context
    if (cause instanceof LeaseLostError) return log.warn({ job: run.job.id }, 'a run has lost its job')
    if (cause instanceof HandedBackError) return this.#parkJob(run, 'handback', 0)
    const { id, type } = run.job
    const { maxAttempts } = declaration
    log.warn({ err: cause, job: id, type, attempt: run.attempts, of: maxAttempts }, 'a run of a job has failed')
    if (run.attempts >= maxAttempts) return this.#failJob(run, declaration, toJobError(cause, run.attempts))
    await this.#parkJob(run, 'retry', computeBackoffSeconds(run.attempts, this.#options.backoff))
  }

  async #failJob(
    run: LeasedRun,
    declaration: JobDeclaration<unknown>,
    { line, code, message }: JobError,
  ): Promise<void> {
    const { context, backoff } = this.#options
    const { job, holder } = run
    const abandon = run.attempts <= declaration.maxAttempts + maxAbandonAttempts
    if (!abandon) context.log.error({ job: job.id, type: job.type }, 'a job failed without giving back what it held')
    try {
      await failJob({ context, declaration, job, holder, error: { line, code, message }, abandon })
    } catch (cause) {
      if (cause instanceof LeaseLostError) return
      context.log.error({ err: cause, job: job.id }, 'a job could not be failed')
      await this.#parkJob(run, 'retry', computeBackoffSeconds(run.attempts, backoff))
    }
  }

  async #parkJob({ job, holder }: LeasedRun, kind: JobParking['kind'], seconds: number): Promise<void> {
    const due = await this.#options.leases.parkJob({ id: job.id, holder, kind, seconds })
    if (due) this.#options.context.queue.notifyWorker(job.id)
  }
}
