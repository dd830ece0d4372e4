import type { Knex } from 'knex'
import { presenceLocks } from '../database/notices.ts'
import { gather } from './gather.ts'
import { jsonb, type JobRow } from './rows.ts'
import { leaseEnd, leaseSeconds, takeStatement } from './take.ts'
import type { Standings } from './turns.ts'

/** A job in the hands of one run: `lease_holder` is that run's own. */
export type LeasedRow = JobRow & { lease_holder: string; weight: number }

/** How a run leaves a job that goes on: a wait forgets failed attempts, a job handed back never was one. */
export interface Parking { id: string; holder: string; kind: 'waiting' | 'retry' | 'handback'; seconds: number }

interface Completion { id: string; holder: string; result: Record<string, unknown> | null }

export interface LeaseOptions { db: Knex; types: readonly string[]; worker: () => number | null }

/** Before every organization there is. */
const firstOrganization = '00000000-0000-0000-0000-000000000000'
const leased = `status = 'pending' and lease_until > now()`
const ended = `status = 'pending' and (lease_until <= now() or lease_until > now() + interval '${leaseSeconds + 5} s')
  and lease_holder is not null`
const letGo = 'lease_holder = null, lease_until = null, lease_worker = null'

/** Taking, keeping and giving back jobs. All times are the database's, so that workers' clocks do not matter. */
export class Leases {
  /** Ends a job well. Answers false for a run that had lost its job. */
  readonly complete = gather<Completion, boolean>((items) => this.#complete(items))
  /** Leaves a job for a later run. Answers whether it is due at once. */
  readonly park = gather<Parking, boolean>((items) => this.#park(items))
  readonly #options: LeaseOptions
  /** The organization after which the next look for jobs begins, where there are too many to look at all at once. */
  #after = firstOrganization

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** Takes jobs that are due, in turns by organization, as far as there is room. */
  async takeDue(standings: Standings): Promise<LeasedRow[]> {
    const taken: LeasedRow[] = []
    for (let isPart = this.#after !== firstOrganization; ;) {
      const { after, rows } = await this.#take({ ...standings, wanted: standings.wanted - taken.length })
      taken.push(...rows)
      this.#after = after ?? firstOrganization
      if (taken.length >= standings.wanted || (after === null && !isPart)) return taken
      // Behind the last organization the first ones come, that were left out.
      if (after === null) isPart = false
    }
  }

  /** Renews leases. @returns the holders that still hold; a row locked by a step is renewed by the step. */
  async renew(held: readonly { id: string; holder: string }[]): Promise<Set<string>> {
    const ids = held.map(({ id }) => id)
    const holders = held.map(({ holder }) => holder)
    const found = await this.#rows<{ lease_holder: string }>(
      `with free as (
         select id from jobs where id = any(?::uuid[]) and lease_holder = any(?::uuid[]) for update skip locked),
       renewed as (
         update jobs set lease_until = ${leaseEnd}, lease_worker = ? from free where jobs.id = free.id)
       select lease_holder from jobs where id = any(?::uuid[]) and lease_holder is not null`,
      [ids, holders, this.#options.worker(), ids])
    return new Set(found.map((row) => row.lease_holder))
  }

  /** The numbers of other workers that hold leases but are gone, by the lock that died with their connection. */
  async gone(): Promise<number[]> {
    const found = await this.#rows<{ number: number }>(
      `with holding as materialized (
         select distinct lease_worker as number from jobs
         where ${leased} and lease_worker is not null and lease_worker is distinct from ?::int)
       select number from holding where pg_try_advisory_xact_lock_shared(?, number)`,
      [this.#options.worker(), presenceLocks])
    return found.map((row) => row.number)
  }

  /**
   * Holders in this worker's name that are none of these: a statement whose answer did not come, as from a database
   * that hung, may have taken jobs all the same.
   */
  async strays(held: readonly string[]): Promise<string[]> {
    const found = await this.#rows<{ lease_holder: string }>(
      `select lease_holder from jobs where ${leased} and lease_worker = ?::int and lease_holder <> all(?::uuid[])`,
      [this.#options.worker(), held])
    return found.map((row) => row.lease_holder)
  }

  /** Makes what these hold due at once. */
  async drop(holders: readonly string[]): Promise<void> {
    await this.#rows(`update jobs set ${letGo} where ${leased} and lease_holder = any(?::uuid[])`, [holders])
  }

  /** Makes the jobs of workers that are gone due at once. */
  async free(workers: readonly number[]): Promise<void> {
    await this.#rows(
      `update jobs set lease_until = null, lease_worker = null where ${leased} and lease_worker = any(?::int[])`, [workers])
  }

  /**
   * Holders whose leases have ended, or end later than any lease can: then the clock went back. After a jump of the clock
   * those of living runs are among them until they are renewed.
   */
  async ended(): Promise<string[]> {
    const found = await this.#rows<{ lease_holder: string }>(`select lease_holder from jobs where ${ended}`, [])
    return found.map((row) => row.lease_holder)
  }

  /** Makes the jobs of these holders due whose leases have ended. A row locked by a step is renewed by the step. @returns how many */
  async expire(holders: readonly string[]): Promise<number> {
    const found = await this.#rows(
      `with over as (select id from jobs where ${ended} and lease_holder = any(?::uuid[]) for update skip locked)
       update jobs set lease_until = null, lease_worker = null from over where jobs.id = over.id returning jobs.id`, [holders])
    return found.length
  }

  async #complete(items: Completion[]): Promise<boolean[]> {
    const done = await this.#rows<{ id: string }>(
      `update jobs set status = 'completed', result = s.result, ${letGo}
       from unnest(?::uuid[], ?::uuid[], ?::jsonb[]) as s (id, holder, result)
       where jobs.id = s.id and jobs.lease_holder = s.holder and status = 'pending' returning jobs.id`,
      [items.map(({ id }) => id), items.map(({ holder }) => holder),
        items.map(({ result }) => (result === null ? null : jsonb(result)))])
    return answersFor(items, done)
  }

  async #park(items: Parking[]): Promise<boolean[]> {
    const parked = await this.#rows<{ id: string; due: boolean }>(
      `update jobs set ${letGo}, woken = false,
         due_at = now() + interval '1 s' * case when woken or s.kind = 'handback' then 0 else s.seconds end,
         attempts = case s.kind when 'waiting' then 0 when 'handback' then greatest(attempts - 1, 0) else attempts end
       from unnest(?::uuid[], ?::uuid[], ?::text[], ?::float8[]) as s (id, holder, kind, seconds)
       where jobs.id = s.id and jobs.lease_holder = s.holder and status = 'pending'
       returning jobs.id, due_at <= now() as due`,
      [items.map(({ id }) => id), items.map(({ holder }) => holder), items.map(({ kind }) => kind),
        items.map(({ seconds }) => seconds)])
    return answersFor(items, parked.filter((row) => row.due))
  }

  async #take({ known, now, cost, room, wanted }: Standings): Promise<{ after: string | null; rows: LeasedRow[] }> {
    const { types, worker } = this.#options
    const rows = await this.#rows<LeasedRow & { after: string | null }>(takeStatement, [
      this.#after, now, cost, room, wanted, known.map(({ organization }) => organization),
      known.map(({ begins }) => begins), known.map((each) => each.room), types, wanted, wanted, worker()])
    return { after: rows[0]?.after ?? null, rows: rows.filter(({ id }) => id !== null) }
  }

  async #rows<Row>(sql: string, bindings: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.#options.db.raw<{ rows: Row[] }>(sql, bindings as Knex.RawBinding[])
    return rows
  }
}

function answersFor(items: readonly { id: string }[], done: readonly { id: string }[]): boolean[] {
  const ids = new Set(done.map((row) => row.id))
  return items.map(({ id }) => ids.has(id))
}
