import type { Knex } from 'knex'
import { lockByName } from '../database/lock.ts'
import type { JobType } from '../kernel/job.ts'
import { ProblemError, createProblem } from '../kernel/problem.ts'

/** Maximum number of waiting jobs of one type per organization, and of waiting claims per buyer. */
export const maxWaitingJobs = 200
export const maxWaitingClaims = 20

/**
 * Distance from the limit below which transactions check one after the other, because they do not see each other's jobs
 * before they commit. Fewer transactions than this run at the same time.
 */
const lockMargin = 60
/** Minimum and maximum seconds that a refused caller is asked to wait. */
const retryAfterSeconds = { min: 1, max: 60 }

/** Milliseconds for which a process repeats a refusal without asking the database. */
const refusalLifetimeMs = 1_000

interface RememberedRefusal {
  until: number
  problem: ProblemError
}

/** The memory of recent refusals, so that a caller that keeps retrying costs almost nothing. */
export class RefusalMemory {
  readonly #refusals = new Map<string, RememberedRefusal>()

  /** Throws if a job of this organization and type was refused a moment ago. @throws RATE_LIMITED */
  assertNotRefused(organization: string, type: JobType): void {
    const refusal = this.#refusals.get(`${organization} ${type}`)
    if (refusal && refusal.until > performance.now()) throw refusal.problem
  }

  /** Checks the limit as `assertJobsBelowLimit` does, and remembers a refusal. @throws RATE_LIMITED */
  async assertBelowLimit(trx: Knex, organization: string, type: JobType): Promise<void> {
    try {
      await assertJobsBelowLimit(trx, organization, type)
    } catch (cause) {
      const now = performance.now()
      for (const [key, { until }] of this.#refusals) if (until <= now) this.#refusals.delete(key)
      if (cause instanceof ProblemError)
        this.#refusals.set(`${organization} ${type}`, { until: now + refusalLifetimeMs, problem: cause })
      throw cause
    }
  }
}

interface WaitingCount {
  count: number
  oldest: number | null
}

/**
 * Checks that an organization may have one more waiting job of a type, in the transaction that writes the job.
 * @throws RATE_LIMITED with the seconds that the oldest job has waited, because a new job would wait as long
 */
async function assertJobsBelowLimit(trx: Knex, organization: string, type: JobType): Promise<void> {
  const seen = await countWaitingJobs(trx, organization, type)
  if (seen.count < maxWaitingJobs - lockMargin) return
  if (seen.count < maxWaitingJobs) {
    await lockByName(trx, `waiting jobs ${organization} ${type}`)
    const locked = await countWaitingJobs(trx, organization, type)
    if (locked.count < maxWaitingJobs) return
  }
  throw createLimitProblem(`The organization has ${maxWaitingJobs} jobs of type ${type} waiting already`, seen)
}

/** Checks that a buyer may have one more waiting claim. @throws RATE_LIMITED */
export async function assertClaimsBelowLimit(trx: Knex, application: string, endUser: string): Promise<void> {
  await lockByName(trx, `waiting claims ${application} ${endUser}`)
  const {
    rows: [seen],
  } = await trx.raw<{ rows: WaitingCount[] }>(
    `select count(*)::int as count, extract(epoch from now() - min(created_at))::float8 as oldest
     from claims where application = ? and end_user = ? and status = 'pending'`,
    [application, endUser],
  )
  if (seen && seen.count >= maxWaitingClaims)
    throw createLimitProblem(`${maxWaitingClaims} of your claims wait already`, seen)
}

async function countWaitingJobs(db: Knex, organization: string, type: JobType): Promise<WaitingCount> {
  const {
    rows: [seen],
  } = await db.raw<{ rows: WaitingCount[] }>(
    `select count(*)::int as count, extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest from (
       select created_at from jobs
       where organization = ? and status = 'pending' and lease_until is null and counted and type = ? limit ${maxWaitingJobs}
     ) waiting`,
    [organization, type],
  )
  return seen ?? { count: 0, oldest: null }
}

function createLimitProblem(what: string, { oldest }: WaitingCount): ProblemError {
  const seconds = Math.min(retryAfterSeconds.max, Math.max(retryAfterSeconds.min, Math.ceil(oldest ?? 0)))
  return createProblem('RATE_LIMITED', `${what}. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
