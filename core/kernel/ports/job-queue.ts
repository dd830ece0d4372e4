import type { Knex } from 'knex'
import type { JobType, JobProgress } from '../job.ts'

/** A job to start. `product` and `endUser` limit who may read it on the status routes of the specification. */
export interface NewJob {
  type: JobType
  organization: string
  application?: string
  /** The sheet whose mint route answers the status of the job. */
  product?: string
  /** The buyer who started the job. */
  endUser?: string
  total: number
  payload: unknown
  /** Whether the job counts towards the limit of waiting jobs of its organization. Jobs that callers start do. */
  countsTowardsLimit?: boolean
  /** Whether the job does not begin before it is woken, because it gets its units one after the other. */
  isHeld?: boolean
  /** When the job begins at the earliest; at once by default. Its handler checks the time again, because clocks can be put back. */
  dueAt?: Date
}

/** New values for members of a job's result. */
export interface ResultAmendment {
  job: string
  result: Record<string, unknown>
}

/** The job queue. The rows in PostgreSQL are the truth; the notice to a worker only makes it start sooner. */
export interface JobQueue {
  /**
   * Writes the row of a job in the caller's transaction. Call `notifyWorker` after the commit. @returns the job's id
   * @throws RATE_LIMITED if the job counts towards the limit and its organization has reached it for this type
   */
  enqueue(trx: Knex, job: NewJob): Promise<string>
  /**
   * Throws if a job of this organization and type was refused a moment ago, without a query to the database.
   * @throws RATE_LIMITED
   */
  assertNotRefusedRecently(organization: string, type: JobType): void
  /** Changes counters and errors of a job in the caller's transaction, and locks the job's row. */
  advanceJob(trx: Knex, job: string, progress: JobProgress): Promise<void>
  /** Counts units of many jobs as completed, in one statement. */
  countCompletedUnits(trx: Knex, completedByJob: ReadonlyMap<string, number>): Promise<void>
  /** Deletes a held job that got no units. */
  discardJob(trx: Knex, job: string): Promise<void>
  /**
   * Ends waiting jobs of an organization, at most `limit`, and forgets what they were to do. @returns how many
   */
  endWaitingJobs(trx: Knex, organization: string, limit: number): Promise<number>
  /** Makes waiting jobs due now. In a transaction, this takes effect when the transaction commits. */
  wakeJobs(trx: Knex, ...jobs: readonly string[]): Promise<void>
  /**
   * Changes members of the results of completed jobs. If a run is about to complete such a job with data that it read
   * earlier, the run loses the job, and the job runs again.
   */
  amendResults(trx: Knex, amendments: readonly ResultAmendment[]): Promise<void>
  /** Notifies a worker of a job. Never throws: the sweep finds a job whose notice was lost. */
  notifyWorker(job: string): void
  /** Returns true if workers can be notified. Without Redis the database notifies them, which also counts as ready. */
  isReady(): boolean
}
