import { jobView, type JobRow } from '../features/jobs/index.ts'
import type { Job } from '../kernel/job.ts'
import { notFound, problem } from '../kernel/problem.ts'
import type { Context } from '../kernel/work.ts'

type OperatorsJob = Job & { organization: string }

const shown = (row: JobRow): OperatorsJob => ({ ...jobView(row), organization: row.organization })

/**
 * Makes a failed job pending and due, with all its attempts before it.
 * @throws NOT_FOUND; VALIDATION_FAILED for a job that has not failed
 */
export async function retryJob({ db, queue }: Context, id: string): Promise<OperatorsJob> {
  const row = await db.transaction(async (trx) => {
    const found = await trx('jobs').where({ id }).forUpdate().first('*') as JobRow | undefined
    if (!found) throw notFound()
    if (found.status !== 'failed') {
      throw problem('VALIDATION_FAILED', `The job is ${found.status}; only a failed one can be tried again.`)
    }
    await trx('jobs').where({ id })
      .update({ status: 'pending', attempts: 0, lease_until: null, lease_holder: null, due_at: trx.fn.now() })
    await queue.wake(trx, id)
    return trx('jobs').where({ id }).first('*') as Promise<JobRow>
  })
  return shown(row)
}
