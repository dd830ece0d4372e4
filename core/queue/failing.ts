import type { JobDeclaration, JobError, RunningJob } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../kernel/work.ts'
import { moveJob } from './move.ts'
import { LeaseLost } from './run.ts'

export interface Failing {
  context: Context
  declaration: JobDeclaration<unknown>
  job: RunningJob
  holder: string
  error: JobError
  /** False after `abandon` itself has failed again and again: the job has to end. */
  abandon: boolean
}

/** Fails a job for good: what it held is given back and the failure is written in one transaction. */
export async function failForGood({ context, declaration, job, holder, error, abandon }: Failing): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Left[] }>(
      `select total - completed - failed as "left" from jobs
       where id = ? and lease_holder = ? and status = 'pending' for update`, [job.id, holder])
    const [row] = rows
    if (!row) throw new LeaseLost(`job ${job.id} is in other hands`)
    if (abandon) await declaration.abandon?.(trx, job, context)
    await moveJob(trx, job.id, { failed: Math.max(0, row.left), errors: [error] })
    await trx.raw(
      `update jobs set status = 'failed', lease_holder = null, lease_until = null, lease_worker = null where id = ?`,
      [job.id])
  })
}

interface Left { left: number }

/** What a reader of the job learns: the words of a problem of ours, nothing of any other error. */
export function errorOf(cause: unknown, attempts: number): JobError {
  if (cause instanceof Problem) return { line: 0, code: cause.code, message: cause.detail }
  return { line: 0, code: 'JOB_FAILED', message: `The work could not be done in ${attempts} attempts.` }
}

