import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { newId } from '../database/model.ts'
import type { Amendment, NewJob, Notices, Queue } from '../kernel/parts.ts'
import { Bell } from './bell.ts'
import { Refusals } from './limit.ts'
import { moveJob } from './move.ts'
import { jsonb } from './rows.ts'

export interface QueueOptions {
  db: Knex
  /** Without it the bell is a notice of the database. */
  redisUrl?: string | undefined
  log: Logger
  notices: Notices
}

/** Tells workers that something is due, when there is no Redis to tell it. */
export const dueChannel = 'job_due'

/** The jobs of this process. */
export function queueOf({ db, redisUrl, log, notices }: QueueOptions): Queue & { close(): Promise<void> } {
  const bell = redisUrl === undefined ? undefined : new Bell({ url: redisUrl, log })
  const lost = (cause: unknown) => log.warn({ err: cause }, 'a ring was lost, the sweep finds its job')
  const knock = knocker(() => notices.notify(db, dueChannel, ''), lost)
  const refusals = new Refusals()
  return {
    async enqueue(trx, job) {
      if (job.counts) await refusals.refuseFull(trx, job.organization, job.type)
      return enqueue(trx, job)
    },
    refuseAgain: (organization, type) => refusals.check(organization, type),
    advance: moveJob,
    advanceAll,
    wake,
    amend,
    ring(job) {
      if (!bell?.ring(job)) knock()
    },
    ready: () => bell?.ready ?? true,
    close: async () => bell?.close(),
  }
}

async function enqueue(trx: Knex, job: NewJob): Promise<string> {
  const id = newId()
  const { type, organization, application = null, product = null, endUser = null, total, payload, counts = false } = job
  await trx.raw(
    `insert into jobs (id, type, organization, application, product, end_user, total, payload, counted)
     values (?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)`,
    [id, type, organization, application, product, endUser, total, jsonb(payload ?? null), counts])
  return id
}

async function advanceAll(trx: Knex, done: ReadonlyMap<string, number>): Promise<void> {
  await trx.raw(
    `update jobs set completed = completed + done.units from unnest(?::uuid[], ?::int[]) as done (id, units)
     where jobs.id = done.id and status = 'pending'`, [[...done.keys()], [...done.values()]])
}

async function wake(trx: Knex, ...jobs: readonly string[]): Promise<void> {
  await trx.raw(
    `update jobs set woken = true, due_at = least(due_at, now()) where id = any(?::uuid[]) and status = 'pending'`,
    [jobs as string[]])
  await trx.raw('select pg_notify(?, ?)', [dueChannel, ''])
}

/** One statement for both cases: a run that ends a job in this moment is seen by it, or finds that it lost the job. */
async function amend(trx: Knex, amendments: readonly Amendment[]): Promise<void> {
  if (amendments.length === 0) return
  await trx.raw(
    `update jobs set
       result = case status when 'completed' then coalesce(jobs.result, '{}') || changed.result else jobs.result end,
       lease_holder = null, lease_until = null, lease_worker = null,
       woken = status = 'pending', due_at = least(due_at, now())
     from unnest(?::uuid[], ?::jsonb[]) as changed (id, result)
     where jobs.id = changed.id and status in ('pending', 'completed')`,
    [amendments.map(({ job }) => job), amendments.map(({ result }) => jsonb(result))])
  await trx.raw('select pg_notify(?, ?)', [dueChannel, ''])
}

/** Runs `act` at most once at a time; calls that come meanwhile share one more run. */
function knocker(act: () => Promise<void>, failed: (cause: unknown) => void): () => void {
  let running = false
  let again = false
  const run = async () => {
    do {
      again = false
      await act().catch(failed)
    } while (again)
    running = false
  }
  return () => {
    again = true
    if (running) return
    running = true
    void run()
  }
}
