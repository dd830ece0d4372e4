import type { Knex } from 'knex'
import { presenceLocks } from '../../database/notices.ts'
import { batchCalls } from '../batch-calls.ts'
import { jobStatus } from './jobs.machine.ts'
import { formatJsonb, type JobRow } from './rows.ts'
import { leaseEndSql, leaseSeconds, takeJobsSql } from './take-statement.ts'
import type { Standings } from './turns.ts'

/** A job that a run has leased. `lease_holder` identifies that run. */
export type LeasedJobRow = JobRow & { lease_holder: string; weight: number }

/**
 * How a run leaves a job that continues later. `waiting` resets the count of failed attempts; `handback` does not count
 * as an attempt.
 */
export interface JobParking {
  id: string
  holder: string
  kind: 'waiting' | 'retry' | 'handback'
  seconds: number
}

interface JobCompletion {
  id: string
  holder: string
  result: Record<string, unknown> | null
}

export interface LeaseOptions {
  db: Knex
  types: readonly string[]
  worker: () => number | null
}

/** An identifier that sorts before all organizations. */
const lowestOrganization = '00000000-0000-0000-0000-000000000000'
const leasedCondition = `status = 'pending' and lease_until > now()`
const endedCondition = `status = 'pending' and (lease_until <= now() or lease_until > now() + interval '${leaseSeconds + 5} s')
  and lease_holder is not null`
const releaseAssignments = 'lease_holder = null, lease_until = null, lease_worker = null'
/** A job that a run has had was due; only a clock that was set back since makes it due later. */
const dueAgainAssignment = 'due_at = least(due_at, now())'

/** The leases of jobs. All times come from the database, so that workers' clocks do not matter. */
export class JobLeases {
  /** Completes a job. Resolves to false if the run had lost its job. */
  readonly completeJob = batchCalls<JobCompletion, boolean>((items) => this.#completeJobs(items))
  /** Leaves a job for a later run. Resolves to whether the job is due at once. */
  readonly parkJob = batchCalls<JobParking, boolean>((items) => this.#parkJobs(items))
  readonly #options: LeaseOptions
  /**
   * The organization after which the next search for jobs begins, if one statement cannot look at all organizations.
   */
  #after = lowestOrganization

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** Takes due jobs as far as there is room; organizations take turns. */
  async takeDueJobs(standings: Standings): Promise<LeasedJobRow[]> {
    const taken: LeasedJobRow[] = []
    for (let isPart = this.#after !== lowestOrganization; ;) {
      const { after, rows } = await this.#takeJobs({ ...standings, wanted: standings.wanted - taken.length })
      taken.push(...rows)
      this.#after = after ?? lowestOrganization
      if (taken.length >= standings.wanted || (after === null && !isPart)) return taken
      // After the last organization, the search continues with the first ones, which were skipped.
      if (after === null) isPart = false
    }
  }

  /**
   * Renews leases. A step that has locked a job's row renews its lease itself. @returns the holders that still have
   * their lease; those of deleted organizations end
   */
  async renewLeases(held: readonly { id: string; holder: string }[]): Promise<Set<string>> {
    const ids = held.map(({ id }) => id)
    const holders = held.map(({ holder }) => holder)
    const jobRows = await this.#queryRows<{ lease_holder: string }>(
      `with free as (
         select id from jobs where id = any(?::uuid[]) and lease_holder = any(?::uuid[]) for update skip locked),
       renewed as (
         update jobs set lease_until = ${leaseEndSql}, lease_worker = ? from free where jobs.id = free.id)
       select lease_holder from jobs where id = any(?::uuid[]) and lease_holder is not null
         and not is_organization_deleted(organization)`,
      [ids, holders, this.#options.worker(), ids],
    )
    return new Set(jobRows.map((row) => row.lease_holder))
  }

  /** Lists other workers that hold leases but are gone: their advisory lock was released with their connection. */
  async listGoneWorkers(): Promise<number[]> {
    const found = await this.#queryRows<{ number: number }>(
      `with holding as materialized (
         select distinct lease_worker as number from jobs
         where ${leasedCondition} and lease_worker is not null and lease_worker is distinct from ?::int)
       select number from holding where pg_try_advisory_xact_lock_shared(?, number)`,
      [this.#options.worker(), presenceLocks],
    )
    return found.map((row) => row.number)
  }

  /**
   * Lists holders that belong to this worker but are not in `held`. They exist if a statement took jobs but its answer
   * did not arrive, such as from a database that hung.
   */
  async listStrayHolders(held: readonly string[]): Promise<string[]> {
    const found = await this.#queryRows<{ lease_holder: string }>(
      `select lease_holder from jobs where ${leasedCondition} and lease_worker = ?::int and lease_holder <> all(?::uuid[])`,
      [this.#options.worker(), held],
    )
    return found.map((row) => row.lease_holder)
  }

  /** Makes the jobs of these holders due at once. */
  async dropHolders(holders: readonly string[]): Promise<void> {
    await this.#queryRows(
      `update jobs set ${releaseAssignments}, ${dueAgainAssignment}
       where ${leasedCondition} and lease_holder = any(?::uuid[])`,
      [holders],
    )
  }

  /** Makes the jobs of workers that are gone due at once. */
  async freeJobsOfWorkers(workers: readonly number[]): Promise<void> {
    await this.#queryRows(
      `update jobs set lease_until = null, lease_worker = null, ${dueAgainAssignment}
       where ${leasedCondition} and lease_worker = any(?::int[])`,
      [workers],
    )
  }

  /**
   * Lists holders whose leases have ended, or end later than any lease can, which means that the clock was set back.
   * After a jump of the clock, the holders of living runs are listed too until their leases are renewed.
   */
  async listEndedHolders(): Promise<string[]> {
    const found = await this.#queryRows<{ lease_holder: string }>(
      `select lease_holder from jobs where ${endedCondition}`,
      [],
    )
    return found.map((row) => row.lease_holder)
  }

  /**
   * Makes the jobs of these holders due if their leases have ended. A step that has locked a job's row renews its lease
   * itself.
   * @returns the number of jobs
   */
  async expireLeases(holders: readonly string[]): Promise<number> {
    const found = await this.#queryRows(
      `with over as (select id from jobs where ${endedCondition} and lease_holder = any(?::uuid[]) for update skip locked)
       update jobs set lease_until = null, lease_worker = null, ${dueAgainAssignment} from over where jobs.id = over.id returning jobs.id`,
      [holders],
    )
    return found.length
  }

  async #completeJobs(items: JobCompletion[]): Promise<boolean[]> {
    const done = await this.#queryRows<{ id: string }>(
      `update jobs set ${jobStatus.set('complete')}, result = s.result, ${releaseAssignments}
       from unnest(?::uuid[], ?::uuid[], ?::jsonb[]) as s (id, holder, result)
       where jobs.id = s.id and jobs.lease_holder = s.holder and status = 'pending' returning jobs.id`,
      [
        items.map(({ id }) => id),
        items.map(({ holder }) => holder),
        items.map(({ result }) => (result === null ? null : formatJsonb(result))),
      ],
    )
    return toAnswers(items, done)
  }

  async #parkJobs(items: JobParking[]): Promise<boolean[]> {
    const parked = await this.#queryRows<{ id: string; due: boolean }>(
      `update jobs set ${releaseAssignments}, woken = false,
         due_at = now() + interval '1 s' * case when woken or s.kind = 'handback' then 0 else s.seconds end,
         attempts = case s.kind when 'waiting' then 0 when 'handback' then greatest(attempts - 1, 0) else attempts end
       from unnest(?::uuid[], ?::uuid[], ?::text[], ?::float8[]) as s (id, holder, kind, seconds)
       where jobs.id = s.id and jobs.lease_holder = s.holder and status = 'pending'
       returning jobs.id, due_at <= now() as due`,
      [
        items.map(({ id }) => id),
        items.map(({ holder }) => holder),
        items.map(({ kind }) => kind),
        items.map(({ seconds }) => seconds),
      ],
    )
    return toAnswers(
      items,
      parked.filter((row) => row.due),
    )
  }

  async #takeJobs({
    known,
    now,
    cost,
    room,
    wanted,
  }: Standings): Promise<{ after: string | null; rows: LeasedJobRow[] }> {
    const { types, worker } = this.#options
    const rows = await this.#queryRows<LeasedJobRow & { after: string | null }>(takeJobsSql, [
      this.#after,
      now,
      cost,
      room,
      wanted,
      known.map(({ organization }) => organization),
      known.map(({ begins }) => begins),
      known.map((each) => each.room),
      types,
      wanted,
      wanted,
      worker(),
    ])
    return { after: rows[0]?.after ?? null, rows: rows.filter(({ id }) => id !== null) }
  }

  async #queryRows<Row>(sql: string, bindings: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.#options.db.raw<{ rows: Row[] }>(sql, bindings as Knex.RawBinding[])
    return rows
  }
}

function toAnswers(items: readonly { id: string }[], done: readonly { id: string }[]): boolean[] {
  const ids = new Set(done.map((row) => row.id))
  return items.map(({ id }) => ids.has(id))
}
