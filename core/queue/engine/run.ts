import type { Knex } from 'knex'
import type { JobDeclaration, JobProgress, JobOutcome, JobRun, RunningJob } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import type { LeasedJobRow } from './leases.ts'
import { mergeMoves, moveJob } from './move.ts'
import type { StepTurns } from './step-turns.ts'
import { leaseSeconds } from './take-statement.ts'

/** Thrown if another run has the job; this run then writes nothing more. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError'
}

/**
 * Reason why a run may not write after its end. A single error for all runs, because thousands of runs may end per
 * second.
 */
const runEndedError = new LeaseLostError('the run has ended')

/** Reason for the end of a run when its worker stops; another worker continues the job. */
export class HandedBackError extends Error {
  override name = 'HandedBackError'
}

/** Reason for the end of a run whose handler has finished no step for too long. */
export class StuckRunError extends Error {
  override name = 'StuckRunError'
}

export interface RunOptions {
  context: Context
  row: LeasedJobRow
  declaration: JobDeclaration<unknown>
  steps: StepTurns
  /** Milliseconds without a step after which a run is given up. */
  handlerTimeoutMs: number
}

/** Milliseconds that a handler has to return after its signal is aborted, before its run is given up. */
const graceMs = 2_000

/** One run of a handler, from its lease to its outcome. */
export class LeasedRun {
  readonly job: RunningJob
  readonly holder: string
  /** Number of failed runs in a row, including this one. A step that completes a unit resets the count. */
  attempts: number
  readonly #options: RunOptions
  readonly #ending = new AbortController()
  readonly #givenUp = Promise.withResolvers<never>()
  #progressAtMs = performance.now()
  #stopRequestedAtMs = 0
  #openSteps = 0

  constructor(options: RunOptions) {
    const { row } = options
    this.#options = options
    this.holder = row.lease_holder
    this.attempts = row.attempts
    this.job = toRunningJob(row)
    // Prevents an unhandled rejection if the run is given up before anything waits for its outcome.
    this.#givenUp.promise.catch(() => undefined)
  }

  /** Ends the run as soon as its current step is done. */
  endRun(reason: Error): void {
    if (this.#ending.signal.aborted) return
    this.#stopRequestedAtMs = performance.now()
    this.#ending.abort(reason)
  }

  /**
   * Runs the handler and returns its outcome. Rejects with what the handler threw, or with the reason of the run's end.
   */
  async runHandler(): Promise<JobOutcome> {
    const {
      context,
      declaration,
      steps,
      row: { organization },
    } = this.#options
    const { signal } = this.#ending
    const run: JobRun = {
      context,
      signal,
      isProcessShared: () => steps.isShared(organization),
      step: (work) => this.#runStep(work),
    }
    steps.enter(organization)
    try {
      signal.throwIfAborted()
      return await Promise.race([declaration.run(this.job, run), this.#givenUp.promise])
    } catch (cause) {
      throw signal.aborted ? signal.reason : cause
    } finally {
      steps.leave(organization)
      // A handler that continues after its run was given up can no longer write.
      this.endRun(runEndedError)
    }
  }

  /**
   * Ends the run if no step has ended for too long, and gives it up if it did not return after it was asked to end.
   * @param nowMs milliseconds of `performance.now()`, which changes of the clock do not affect
   */
  checkProgress(nowMs: number): void {
    if (this.#openSteps > 0) return
    const { signal } = this.#ending
    const { handlerTimeoutMs } = this.#options
    if (nowMs - this.#progressAtMs > handlerTimeoutMs)
      this.endRun(new StuckRunError(`no sign of life for ${handlerTimeoutMs / 1000} s`))
    if (signal.aborted && nowMs - this.#stopRequestedAtMs > graceMs) this.#givenUp.reject(signal.reason)
  }

  #runStep<T>(work: (trx: Knex.Transaction, move: (change: JobProgress) => void) => Promise<T>): Promise<T> {
    const {
      steps,
      row: { organization, type },
    } = this.#options
    return steps.runStep(organization, type, this.#ending.signal, () => this.#runTransaction(work))
  }

  async #runTransaction<T>(
    work: (trx: Knex.Transaction, move: (change: JobProgress) => void) => Promise<T>,
  ): Promise<T> {
    const { db } = this.#options.context
    let change: JobProgress | undefined
    this.#openSteps++
    try {
      return await db.transaction(async (trx) => {
        await this.#lockJob(trx)
        const done = await work(trx, (move) => {
          change = change ? mergeMoves(change, move) : move
        })
        await this.#writeProgress(trx, change)
        return done
      })
    } finally {
      this.#openSteps--
      this.#progressAtMs = performance.now()
    }
  }

  /** Locks the job. A run whose organization was deleted loses it like one whose lease is over. */
  async #lockJob(trx: Knex.Transaction): Promise<void> {
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `select from jobs where id = ? and lease_holder = ? and status = 'pending'
         and not is_organization_deleted(organization) for update`,
      [this.job.id, this.holder],
    )
    if (rows.length > 0) return
    const lost = new LeaseLostError(`job ${this.job.id} is in other hands`)
    this.endRun(lost)
    throw lost
  }

  async #writeProgress(trx: Knex.Transaction, change: JobProgress | undefined): Promise<void> {
    const progress = change !== undefined && (change.completed ?? 0) + (change.failed ?? 0) > 0
    if (change) await moveJob(trx, this.job.id, change)
    await trx.raw(
      `update jobs set lease_until = clock_timestamp() + interval '${leaseSeconds} s',
         attempts = case when ? then 1 else attempts end where id = ?`,
      [progress, this.job.id],
    )
    if (progress) this.attempts = 1
  }
}

function toRunningJob(row: LeasedJobRow): RunningJob {
  const { id, type, organization, payload, total, completed, failed, state, attempts } = row
  return { id, type, organization, payload, total, completed, failed, state, attempt: attempts }
}
