import type { Knex } from 'knex'
import type { JobQueue } from '../kernel/ports/job-queue.ts'
import type { JobFailure } from './engine/failure.ts'
import { jobStatus } from './engine/jobs.machine.ts'
import type { JobRow } from './engine/rows.ts'

/** A failed job of an organization. */
export interface FailedJob extends Pick<JobRow, 'id' | 'type' | 'total' | 'completed' | 'failed'> {
  createdAt: string
  /** When it failed, RFC 3339. */
  failedAt: string
  /** Why it failed; null if it was not kept. */
  cause: { code: string; message: string } | null
  /** Whether another run would find something to do: false if every unit has its outcome. */
  hasWorkLeft: boolean
}

type FailedRow = Omit<JobRow, 'state'> & { failure: JobFailure | null }

/** The code of a job whose runs broke off, which says nothing about its units. */
const brokenOffCode = 'JOB_FAILED'

/** Counts failed jobs of an organization, up to a limit. */
export async function countFailedJobs(db: Knex, organization: string, limit: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*)::int as count
     from (select from jobs where organization = ? and status = 'failed' limit ?) failed`,
    [organization, limit],
  )
  return rows[0]?.count ?? 0
}

/** Lists failed jobs of an organization, those that failed last first. */
export async function listFailedJobs(db: Knex, organization: string, limit: number): Promise<FailedJob[]> {
  const { rows } = await db.raw<{ rows: FailedRow[] }>(
    `select id, type, total, completed, failed, errors, state -> 'failure' as failure, created_at, updated_at
     from jobs where organization = ? and status = 'failed' order by updated_at desc, id desc limit ?`,
    [organization, limit],
  )
  return rows.map(presentFailedJob)
}

function presentFailedJob(row: FailedRow): FailedJob {
  const { id, type, total, completed, failed, failure, errors } = row
  const last = errors.at(-1)
  const cause = failure ?? last ?? null
  return {
    id,
    type,
    total,
    completed,
    failed,
    createdAt: row.created_at.toISOString(),
    failedAt: row.updated_at.toISOString(),
    cause: cause && { code: cause.code, message: cause.message },
    hasWorkLeft: failure === null || failure.left > 0 || failure.code === brokenOffCode,
  }
}

/**
 * Puts a failed job back to work, in the caller's transaction: it is due at once and has its full number of attempts. The
 * units that it had left when it failed count as open again; those that have their outcome are not done again. A job
 * that has not failed, or has been put back before, stays as it is.
 * @param organization the organization whose job it has to be; by default any
 * @returns the job's row, and whether this call has put it back; undefined if there is no such job
 */
export async function retryFailedJob(
  trx: Knex,
  queue: Pick<JobQueue, 'wakeJobs'>,
  id: string,
  organization: string | null = null,
): Promise<{ row: JobRow; isPutBack: boolean } | undefined> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update jobs set ${jobStatus.set('retry')}, attempts = 0, lease_until = null, lease_holder = null,
       lease_worker = null, due_at = now(),
       failed = failed - coalesce((state #>> '{failure,left}')::int, 0),
       errors = case when errors -> -1 -> 'code' = state #> '{failure,code}'
         and errors -> -1 -> 'message' = state #> '{failure,message}' then errors - -1 else errors end,
       state = state - 'failure'
     where id = ? and (?::uuid is null or organization = ?::uuid) and status = 'failed'`,
    [id, organization, organization] as Knex.RawBinding[],
  )
  if (rowCount > 0) await queue.wakeJobs(trx, id)
  const row = (await trx('jobs')
    .where({ id, ...(organization !== null && { organization }) })
    .first('*')) as JobRow | undefined
  return row && { row, isPutBack: rowCount > 0 }
}
