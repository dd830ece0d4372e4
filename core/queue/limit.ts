import type { Knex } from 'knex'
import { lockByName } from '../database/lock.ts'
import type { JobType } from '../kernel/job.ts'
import { Problem, problem } from '../kernel/problem.ts'

/** Jobs of one kind that an organization may have waiting, and claims a buyer. */
export const maxWaiting = 200
export const maxWaitingClaims = 20

/**
 * So near to the limit transactions look one after the other, because they do not see each other's jobs before their
 * commits; there are fewer of them at a time than this.
 */
const margin = 60
/** Bounds of the seconds that a refused caller is asked to wait. */
const retry = { min: 1, max: 60 }

/** Milliseconds for which a process refuses others like a refused one without asking the database. */
const remembered = 1_000

interface Refusal { until: number; problem: Problem }

/** What was refused a moment ago, so that who goes on asking costs next to nothing. */
export class Refusals {
  readonly #refusals = new Map<string, Refusal>()

  /** @throws RATE_LIMITED where one of that organization and kind was refused a moment ago */
  check(organization: string, type: JobType): void {
    const refusal = this.#refusals.get(`${organization} ${type}`)
    if (refusal && refusal.until > performance.now()) throw refusal.problem
  }

  /** Refuses as `refuseFull` does, and remembers it. @throws RATE_LIMITED */
  async refuseFull(trx: Knex, organization: string, type: JobType): Promise<void> {
    try {
      await refuseFull(trx, organization, type)
    } catch (cause) {
      const now = performance.now()
      for (const [key, { until }] of this.#refusals) if (until <= now) this.#refusals.delete(key)
      if (cause instanceof Problem) this.#refusals.set(`${organization} ${type}`, { until: now + remembered, problem: cause })
      throw cause
    }
  }
}

interface Waiting { count: number; oldest: number | null }

/**
 * Refuses a job past the limit of its organization and kind, in the transaction that would write it.
 * @throws RATE_LIMITED with the seconds that the oldest job has waited: as long as a new one would wait too
 */
async function refuseFull(trx: Knex, organization: string, type: JobType): Promise<void> {
  const seen = await waitingJobs(trx, organization, type)
  if (seen.count < maxWaiting - margin) return
  if (seen.count < maxWaiting) {
    await lockByName(trx, `waiting jobs ${organization} ${type}`)
    const locked = await waitingJobs(trx, organization, type)
    if (locked.count < maxWaiting) return
  }
  throw fullProblem(`The organization has ${maxWaiting} jobs of type ${type} waiting already`, seen)
}

/** Refuses another claim of a buyer who has too many waiting. @throws RATE_LIMITED */
export async function refuseManyClaims(trx: Knex, application: string, endUser: string): Promise<void> {
  await lockByName(trx, `waiting claims ${application} ${endUser}`)
  const { rows: [seen] } = await trx.raw<{ rows: Waiting[] }>(
    `select count(*)::int as count, extract(epoch from now() - min(created_at))::float8 as oldest
     from claims where application = ? and end_user = ? and status = 'pending'`, [application, endUser])
  if (seen && seen.count >= maxWaitingClaims) throw fullProblem(`${maxWaitingClaims} of your claims wait already`, seen)
}

async function waitingJobs(db: Knex, organization: string, type: JobType): Promise<Waiting> {
  const { rows: [seen] } = await db.raw<{ rows: Waiting[] }>(
    `select count(*)::int as count, extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest from (
       select created_at from jobs
       where organization = ? and status = 'pending' and lease_until is null and counted and type = ? limit ${maxWaiting}
     ) waiting`, [organization, type])
  return seen ?? { count: 0, oldest: null }
}

function fullProblem(what: string, { oldest }: Waiting): Problem {
  const seconds = Math.min(retry.max, Math.max(retry.min, Math.ceil(oldest ?? 0)))
  return problem('RATE_LIMITED', `${what}. Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } })
}
