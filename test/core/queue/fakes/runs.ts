import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import {
  declareJob,
  type JobDeclaration,
  type JobOutcome,
  type JobRun,
  type RunningJob,
} from '../../../../core/kernel/job.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import type { JobLeases, JobParking, LeasedJobRow } from '../../../../core/queue/engine/leases.ts'
import { JobRunner } from '../../../../core/queue/engine/runner.ts'
import { FakeDatabase } from './fake-database.ts'

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

/** What a runner told its leases, and what they answer. */
export class FakeLeases {
  readonly completions: object[] = []
  readonly parkings: JobParking[] = []
  /** Number of outcomes that were written. */
  writtenCount = 0
  readonly renewals: (readonly { id: string; holder: string }[])[] = []
  /** Writes an outcome; a test lets it fail or wait. */
  write: () => Promise<void> = async () => undefined
  isDueAtOnce = true
  holding = new Set<string>()

  async completeJob(completion: object): Promise<boolean> {
    this.completions.push(completion)
    await this.write()
    this.writtenCount++
    return true
  }

  async parkJob(parking: JobParking): Promise<boolean> {
    this.parkings.push(parking)
    await this.write()
    this.writtenCount++
    return this.isDueAtOnce
  }

  async renewLeases(held: readonly { id: string; holder: string }[]): Promise<Set<string>> {
    this.renewals.push(held)
    return this.holding
  }
}

/** A runner of one kind of job, with leases and a database that only answer. */
export function createRunner(declaration: JobDeclaration<unknown>, database = new FakeDatabase()) {
  const leases = new FakeLeases()
  const notified: string[] = []
  const queue = { notifyWorker: (job: string) => void notified.push(job) }
  const context = { db: database.knex, queue, log: pino({ level: 'silent' }) } as unknown as Context
  const runner = new JobRunner({
    context,
    handlers: new Map([['mint', declaration]]),
    leases: leases as unknown as JobLeases,
    backoff: { minSeconds: 8, maxSeconds: 20 },
    handlerTimeoutMs: 60_000,
  })
  return { runner, leases, notified, database, context }
}
