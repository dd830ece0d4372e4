import type { Knex } from 'knex'
import type { Permission } from './permission.ts'
import {
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  oneOfWords,
  optional,
  record,
  string,
  uuid,
  type Static,
} from './schema.ts'
import { jobTypes, type JobType } from './words.ts'
import type { Context } from './work.ts'

export type { JobType } from './words.ts'

export const jobStatuses = ['pending', 'completed', 'failed'] as const

export const JobError = object(
  {
    line: integer('Unit that failed: index in a JSON array from 0, physical line of a text file from 1.', {
      minimum: 0,
    }),
    path: optional(string('Dotted path of the value, where one is to blame.')),
    code: string('Stable code of the cause.'),
    message: string('What went wrong, in English.'),
  },
  { title: 'JobError', description: 'One unit of a job that failed.' },
)
export type JobError = Static<typeof JobError>

/** The schema that all asynchronous jobs share. */
export const Job = object(
  {
    id: uuid('Identifier of the job.'),
    type: oneOfWords(jobTypes, 'What the job does.'),
    status: oneOf(jobStatuses, 'pending until every unit has an outcome; failed when nothing could be done.'),
    total: integer('Units to do.', { minimum: 0 }),
    completed: integer('Units done.', { minimum: 0 }),
    failed: integer('Units that failed for good.', { minimum: 0 }),
    result: nullable(record('What the job made; its members depend on the type.')),
    errors: list(JobError, 'The first 100 failures.', { maxItems: 100 }),
    createdAt: instant('When the job was accepted.'),
    updatedAt: instant('When it last moved.'),
  },
  { title: 'Job', description: 'An asynchronous job. It survives the death of any process; no unit is done twice.' },
)
export type Job = Static<typeof Job>

/** A job as its handler sees it. `payload` is what was enqueued; `state` is what earlier runs stored. */
export interface RunningJob<P = unknown> {
  readonly id: string
  readonly type: JobType
  readonly organization: string
  readonly payload: P
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly state: Record<string, unknown>
  readonly attempt: number
}

/**
 * What a handler can use while it runs. Every write goes through `step`, which checks the lease: a run that has lost
 * its lease writes nothing.
 */
export interface JobRun {
  readonly context: Context
  readonly signal: AbortSignal
  /** Returns true when other organizations also have jobs in this process; a long step should then be cut short. */
  isProcessShared(): boolean
  /**
   * Runs one transaction under the job's row lock and lease. `recordProgress` changes counters, state and errors in the
   * same commit.
   */
  step<T>(action: (trx: Knex.Transaction, recordProgress: (change: JobProgress) => void) => Promise<T>): Promise<T>
}

/** A change of a job: counters are added, state is merged, errors are appended. */
export interface JobProgress {
  completed?: number
  failed?: number
  total?: number
  state?: Record<string, unknown>
  errors?: readonly JobError[]
}

/** How a run ended. With `waiting`, some other event wakes the job; the sweep checks it again after `delaySeconds`. */
export type JobOutcome =
  | { status: 'completed'; result: Record<string, unknown> | null }
  | { status: 'failed'; code: string; message: string }
  | { status: 'waiting'; delaySeconds: number }

export interface JobDeclaration<P> {
  type: JobType
  /** The permission that lets others than the caller who started the job read it, or the function that reads which. */
  permission: Permission | ((db: Knex, job: string) => Promise<Permission>)
  /**
   * The permission with which a member has a failed job run again. Without it nobody can: what the job worked on was
   * given up when it failed.
   */
  retryPermission?: Permission
  /** Maximum number of runs that may throw before the job fails for good. */
  maxAttempts: number
  run(job: RunningJob<P>, run: JobRun): Promise<JobOutcome>
  /** Releases what the job held, in the transaction that fails the job for good. */
  handleFailure?(trx: Knex.Transaction, job: RunningJob<P>, context: Context): Promise<void>
}

/** Declares a job type. It is served once it stands in the `jobs` of its area. */
export function declareJob<P>(declaration: JobDeclaration<P>): JobDeclaration<unknown> {
  return declaration as unknown as JobDeclaration<unknown>
}

/** The body of a 202 answer. */
export const AcceptedJob = object(
  { jobId: uuid('The job to follow at /v1/jobs/:jobId.') },
  {
    title: 'AcceptedJob',
    description: 'The work goes on as a job.',
  },
)
