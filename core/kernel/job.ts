import type { Knex } from 'knex'
import type { Permission } from './permission.ts'
import { Type, instant, integer, list, nullable, object, oneOf, optional, record, string, uuid, type Static } from './schema.ts'
import type { Context } from './work.ts'

export const jobTypes = ['mint', 'claim', 'publish', 'certify', 'rotate', 'structure', 'import', 'migrate'] as const
export const jobStatuses = ['pending', 'completed', 'failed'] as const
export type JobType = (typeof jobTypes)[number]

export const JobError = object({
  line: integer('Unit that failed: index in a JSON array from 0, physical line of a text file from 1.', { minimum: 0 }),
  path: optional(string('Dotted path of the value, where one is to blame.')),
  code: string('Stable code of the cause.'),
  message: string('What went wrong, in English.'),
}, { title: 'JobError', description: 'One unit of a job that failed.' })
export type JobError = Static<typeof JobError>

/** The one shape of every asynchronous job. */
export const Job = object({
  id: uuid('Identifier of the job.'),
  type: oneOf(jobTypes, 'What the job does.'),
  status: oneOf(jobStatuses, 'pending until every unit has an outcome; failed when nothing could be done.'),
  total: integer('Units to do.', { minimum: 0 }),
  completed: integer('Units done.', { minimum: 0 }),
  failed: integer('Units that failed for good.', { minimum: 0 }),
  result: nullable(record('What the job made; its members depend on the type.')),
  errors: list(JobError, 'The first 100 failures.', { maxItems: 100 }),
  createdAt: instant('When the job was accepted.'),
  updatedAt: instant('When it last moved.'),
}, { title: 'Job', description: 'An asynchronous job. It survives the death of any process; no unit is done twice.' })
export type Job = Static<typeof Job>

/** A job as a handler sees it. `payload` is what was enqueued; `state` what earlier runs left. */
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

/** What a run of a handler can do. Every write goes through `step`, which holds the lease: a run that lost it writes nothing. */
export interface Run {
  readonly context: Context
  readonly signal: AbortSignal
  /** Whether other organizations work in this process: a step that could go on for long should be a short one then. */
  isShared(): boolean
  /** One transaction under the job's row lock and lease. `move` changes counters, state and errors in the same commit. */
  step<T>(work: (trx: Knex.Transaction, move: (change: Move) => void) => Promise<T>): Promise<T>
}

/** Relative counters, merged state, appended errors. */
export interface Move { completed?: number; failed?: number; total?: number; state?: Record<string, unknown>; errors?: readonly JobError[] }

/** How a run ended. `waiting`: something else will ring; the sweep looks again after `seconds`. */
export type Outcome =
  | { status: 'completed'; result: Record<string, unknown> | null }
  | { status: 'failed'; code: string; message: string }
  | { status: 'waiting'; seconds: number }

export interface JobDeclaration<P> {
  type: JobType
  /** Who may read it besides the one who started it. */
  permission: Permission
  /** Runs that may throw before the job fails for good. */
  attempts: number
  run(job: RunningJob<P>, run: Run): Promise<Outcome>
  /** In the transaction that fails the job for good: gives back what it held. */
  abandon?(trx: Knex.Transaction, job: RunningJob<P>, context: Context): Promise<void>
}

/** Declares a job type. The worker refuses to start on a type without handler or with two. */
export function job<P>(declaration: JobDeclaration<P>): JobDeclaration<unknown> {
  return declaration as unknown as JobDeclaration<unknown>
}

/** What a 202 answers. */
export const Accepted = object({ jobId: uuid('The job to follow at /v1/jobs/:jobId.') }, {
  title: 'AcceptedJob', description: 'The work goes on as a job.',
})
export const anyValue = Type.Unknown
