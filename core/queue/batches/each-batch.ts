import type { Knex } from 'knex'
import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import type { JobProgress, JobRun } from '../../kernel/job.ts'

/** What came of one batch. Without `progress`, neither counters, errors nor state of the job change. */
export interface BatchResult<State> {
  state: State
  progress?: Omit<JobProgress, 'state'>
}

export interface BatchLoop<Item, State> {
  job: string
  /** What is done with the items, for those who read at which point a process died. */
  step: string
  /** What earlier runs of the job left. */
  state: State
  /**
   * Waits, before a transaction is open, for items that come from elsewhere than the database, and returns true if
   * none is left. Without it, only `take` tells.
   */
  isAtEnd?(): Promise<boolean>
  /** Takes the next items in the transaction of their work; an empty list ends the loop. */
  take(trx: Knex.Transaction, state: State): Promise<readonly Item[]>
  /** Does the work of the items in the same transaction. */
  work(trx: Knex.Transaction, items: readonly Item[], state: State): Promise<BatchResult<State>>
  /** Runs after the transaction of each batch. */
  afterCommit?(state: State): void
}

/**
 * Does the work of a job batch by batch. Each batch is one step of the run: items are taken, worked on, and counted
 * under the job's lease in one transaction. A batch is therefore done as a whole or not at all, and a run may die
 * anywhere: the next run goes on with the items that are left and the state that the last batch stored.
 * @returns the state after the last batch
 */
export async function eachBatch<Item, State extends object>(
  run: JobRun,
  { job, step, isAtEnd, take, work, afterCommit, ...loop }: BatchLoop<Item, State>,
): Promise<State> {
  for (let { state } = loop; ;) {
    if (await isAtEnd?.()) return state
    const next = await run.step(async (trx, recordProgress) => {
      const items = await take(trx, state)
      if (items.length === 0) return null
      const done = await work(trx, items, state)
      if (done.progress) recordProgress({ ...done.progress, state: done.state as Record<string, unknown> })
      return done.state
    })
    if (next === null) return state
    state = next
    afterCommit?.(state)
    hitFaultPoint('unit.between', { job, step })
  }
}
