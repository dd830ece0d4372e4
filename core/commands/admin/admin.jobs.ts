import { presentJob, type JobRow } from '../../features/jobs/index.ts'
import type { Job } from '../../kernel/job.ts'
import { jobStatus } from '../../queue/engine/jobs.machine.ts'
import { createNotFoundProblem, createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'

type OperatorJob = Job & { organization: string }

const shown = (row: JobRow): OperatorJob => ({ ...presentJob(row), organization: row.organization })

/**
 * Makes a failed job pending and due again. The job gets its full number of attempts.
 * @throws NOT_FOUND; VALIDATION_FAILED for a job that has not failed
 */
export async function retryJob({ db, queue }: Context, id: string): Promise<OperatorJob> {
  const row = await db.transaction(async (trx) => {
    const found = (await trx('jobs').where({ id }).forUpdate().first('*')) as JobRow | undefined
    if (!found) throw createNotFoundProblem()
    if (!jobStatus.canMove('retry', found.status)) {
      throw createProblem('VALIDATION_FAILED', `The job is ${found.status}; only a failed one can be tried again.`)
    }
    await trx('jobs').where({ id }).update({
      status: jobStatus.moves.retry.to,
      attempts: 0,
      lease_until: null,
      lease_holder: null,
      due_at: trx.fn.now(),
    })
    await queue.wakeJobs(trx, id)
    return trx('jobs').where({ id }).first('*') as Promise<JobRow>
  })
  return shown(row)
}
