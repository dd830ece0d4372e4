import { randomUUID } from 'node:crypto'
import {
  declareJob,
  type JobDeclaration,
  type JobOutcome,
  type JobRun,
  type RunningJob,
} from '../../../../core/kernel/job.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { JobLeases, type LeasedJobRow } from '../../../../core/queue/engine/leases.ts'
import { JobRunner } from '../../../../core/queue/engine/runner.ts'

export const completed: JobOutcome = { status: 'completed', result: { by: 'the run' } }

/** A job as a statement that took it returns it. */
export function createLeasedRow(more: Partial<LeasedJobRow> = {}): LeasedJobRow {
  const at = new Date()
  return {
    id: randomUUID(),
    type: 'mint',
    organization: randomUUID(),
    application: null,
    product: null,
    end_user: null,
    status: 'pending',
    total: 3,
    completed: 1,
    failed: 0,
    result: null,
    errors: [],
    payload: { units: 3 },
    state: { at: 1 },
    attempts: 1,
    lease_holder: randomUUID(),
    version: 1,
    created_at: at,
    updated_at: at,
    weight: 1,
    ...more,
  }
}

/** A mint whose handler is this function. */
export const declareMint = (
  run: (job: RunningJob, run: JobRun) => Promise<JobOutcome>,
  more: Partial<JobDeclaration<unknown>> = {},
): JobDeclaration<unknown> => declareJob({ type: 'mint', permission: 'dpp:read', maxAttempts: 3, run, ...more })

/**
 * A runner of one kind of job with leases of its own, in this context. Its jobs are tried again after 8 to 20 seconds,
 * give or take half.
 */
export function createRunner(declaration: JobDeclaration<unknown>, context: Context): JobRunner {
  return new JobRunner({
    context,
    handlers: new Map([['mint', declaration]]),
    leases: new JobLeases({ db: context.db, types: ['mint'], worker: () => null }),
    backoff: { minSeconds: 8, maxSeconds: 20 },
    handlerTimeoutMs: 60_000,
  })
}
