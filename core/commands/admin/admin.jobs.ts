import { presentJob } from '../../features/jobs/index.ts'
import type { Job } from '../../kernel/job.ts'
import { createNotFoundProblem, createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { retryFailedJob } from '../../queue/retry.ts'

type OperatorJob = Job & { organization: string }

/**
 * Makes a failed job pending and due again. The job gets its full number of attempts.
 * @throws NOT_FOUND; VALIDATION_FAILED for a job that has not failed
 */
export async function retryJob({ db, queue }: Context, id: string): Promise<OperatorJob> {
  const retried = await db.transaction((trx) => retryFailedJob(trx, queue, id))
  if (!retried) throw createNotFoundProblem()
  const { row, isPutBack } = retried
  if (!isPutBack)
    throw createProblem('VALIDATION_FAILED', `The job is ${row.status}; only a failed one can be tried again.`)
  return { ...presentJob(row), organization: row.organization }
}
