import type { Knex } from 'knex'
import type { JobDeclaration, Move, Outcome, Run, RunningJob } from '../kernel/job.ts'
import type { Context } from '../kernel/work.ts'
import type { LeasedRow } from './leases.ts'
import { joined, moveJob } from './move.ts'
import type { StepTurns } from './step-turns.ts'
import { leaseSeconds } from './take.ts'

/** Another run has the job: this one writes nothing more. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** Why a run may not write after its end. One for all: thousands of runs end in a second. */
const over = new LeaseLost('the run has ended')

/** The worker is stopping: the job goes on elsewhere. */
export class HandedBack extends Error {
  override name = 'HandedBack'
}

/** The handler gave no sign of life for too long. */
export class Stuck extends Error {
  override name = 'Stuck'
}

export interface RunOptions {
  context: Context
  row: LeasedRow
  declaration: JobDeclaration<unknown>
  steps: StepTurns
  /** Milliseconds without a step after which a run is given up. */
  patience: number
}

/** Milliseconds that a handler has to return after its signal, before its run is given up. */
const grace = 2_000

/** One run of a handler, from its lease to its outcome. */
export class LeasedRun {
  readonly job: RunningJob
  readonly holder: string
  /** Failed runs in a row, this one included. A step that gets a unit done starts the count anew. */
  attempts: number
  readonly #options: RunOptions
  readonly #ending = new AbortController()
  readonly #givenUp = Promise.withResolvers<never>()
  #sign = performance.now()
  #asked = 0
  #inStep = 0

  constructor(options: RunOptions) {
    const { row } = options
    this.#options = options
    this.holder = row.lease_holder
    this.attempts = row.attempts
    this.job = runningJob(row)
    // It may be given up before it began, when nobody waits for its outcome yet.
    this.#givenUp.promise.catch(() => undefined)
  }

  /** Ends the run as soon as its step in hand is done. */
  end(reason: Error): void {
    if (this.#ending.signal.aborted) return
    this.#asked = performance.now()
    this.#ending.abort(reason)
  }

  /** The outcome. Rejects with what the handler threw, or with the reason of its end. */
  async outcome(): Promise<Outcome> {
    const { context, declaration, steps, row: { organization } } = this.#options
    const { signal } = this.#ending
    const run: Run = { context, signal, isShared: () => steps.isShared(organization), step: (work) => this.#step(work) }
    steps.enter(organization)
    try {
      signal.throwIfAborted()
      return await Promise.race([declaration.run(this.job, run), this.#givenUp.promise])
    } catch (cause) {
      throw signal.aborted ? signal.reason : cause
    } finally {
      steps.leave(organization)
      // A handler that comes back after it was given up finds that it may not write.
      this.end(over)
    }
  }

  /**
   * Gives the run up when it showed no sign of life for too long, or did not return after it was asked to end.
   * @param now milliseconds of `performance.now()`, which no change of the clock moves
   */
  check(now: number): void {
    if (this.#inStep > 0) return
    const { signal } = this.#ending
    const { patience } = this.#options
    if (now - this.#sign > patience) this.end(new Stuck(`no sign of life for ${patience / 1000} s`))
    if (signal.aborted && now - this.#asked > grace) this.#givenUp.reject(signal.reason)
  }

  #step<T>(work: (trx: Knex.Transaction, move: (change: Move) => void) => Promise<T>): Promise<T> {
    const { steps, row: { organization, type } } = this.#options
    return steps.take(organization, type, this.#ending.signal, () => this.#transact(work))
  }

  async #transact<T>(work: (trx: Knex.Transaction, move: (change: Move) => void) => Promise<T>): Promise<T> {
    const { db } = this.#options.context
    let change: Move | undefined
    this.#inStep++
    try {
      return await db.transaction(async (trx) => {
        await this.#lock(trx)
        const done = await work(trx, (move) => { change = change ? joined(change, move) : move })
        await this.#write(trx, change)
        return done
      })
    } finally {
      this.#inStep--
      this.#sign = performance.now()
    }
  }

  async #lock(trx: Knex.Transaction): Promise<void> {
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `select from jobs where id = ? and lease_holder = ? and status = 'pending' for update`,
      [this.job.id, this.holder])
    if (rows.length > 0) return
    const lost = new LeaseLost(`job ${this.job.id} is in other hands`)
    this.end(lost)
    throw lost
  }

  async #write(trx: Knex.Transaction, change: Move | undefined): Promise<void> {
    const progress = change !== undefined && (change.completed ?? 0) + (change.failed ?? 0) > 0
    if (change) await moveJob(trx, this.job.id, change)
    await trx.raw(
      `update jobs set lease_until = clock_timestamp() + interval '${leaseSeconds} s',
         attempts = case when ? then 1 else attempts end where id = ?`, [progress, this.job.id])
    if (progress) this.attempts = 1
  }
}

function runningJob(row: LeasedRow): RunningJob {
  const { id, type, organization, payload, total, completed, failed, state, attempts } = row
  return { id, type, organization, payload, total, completed, failed, state, attempt: attempts }
}
