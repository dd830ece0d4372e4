import type { JobDeclaration, JobError, RunningJob } from '../../kernel/job.ts'
import { ProblemError } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { jobStatus } from './jobs.machine.ts'
import { moveJob } from './move.ts'
import { LeaseLostError } from './run.ts'

export interface JobFailureOptions {
  context: Context
  declaration: JobDeclaration<unknown>
  job: RunningJob
  holder: string
  error: JobError
  /** Whether to call `handleFailure`; false after it has failed repeatedly, because the job has to end. */
  abandon: boolean
}

/**
 * Fails a job for good: calls its `handleFailure` and writes the failure in one transaction.
 * @throws LeaseLostError if another run has the job
 */
export async function failJob({ context, declaration, job, holder, error, abandon }: JobFailureOptions): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: RemainingRow[] }>(
      `select total - completed - failed as "left" from jobs
       where id = ? and lease_holder = ? and status = 'pending' for update`,
      [job.id, holder],
    )
    const [row] = rows
    if (!row) throw new LeaseLostError(`job ${job.id} is in other hands`)
    if (abandon) await declaration.handleFailure?.(trx, job, context)
    const left = Math.max(0, row.left)
    const failure: JobFailure = { left, code: error.code, message: error.message }
    await moveJob(trx, job.id, { failed: left, errors: [error], state: { failure } })
    await trx.raw(
      `update jobs set ${jobStatus.set('fail')}, lease_holder = null, lease_until = null, lease_worker = null where id = ?`,
      [job.id],
    )
  })
}

/** What is kept in the state of a failed job, so that it can be put back to work: the units that it had left, and why. */
export interface JobFailure {
  left: number
  code: string
  message: string
}

interface RemainingRow {
  left: number
}

/**
 * Returns the error that a reader of the job sees: code and detail of a ProblemError, and nothing about any other
 * error.
 */
export function toJobError(cause: unknown, attempts: number): JobError {
  if (cause instanceof ProblemError) return { line: 0, code: cause.code, message: cause.detail }
  return { line: 0, code: 'JOB_FAILED', message: `The work could not be done in ${attempts} attempts.` }
}
