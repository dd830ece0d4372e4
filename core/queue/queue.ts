import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { newId } from '../database/model.ts'
import type { ResultAmendment, NewJob, JobQueue } from '../kernel/ports/job-queue.ts'
import type { Notices } from '../kernel/ports/notices.ts'
import { JobNotifier } from './redis/job-notifier.ts'
import { RefusalMemory } from './limit.ts'
import { jobStatus } from './engine/jobs.machine.ts'
import { moveJob } from './engine/move.ts'
import { formatJsonb } from './engine/rows.ts'

export interface QueueOptions {
  db: Knex
  /** Without it, workers are notified through the database. */
  redisUrl?: string | undefined
  log: Logger
  notices: Notices
}

/** Channel of the database notice that a job is due; used without Redis and for jobs that are woken. */
export const dueChannel = 'job_due'

/** Creates the job queue of this process. */
export function createQueue({ db, redisUrl, log, notices }: QueueOptions): JobQueue & { close(): Promise<void> } {
  const notifier = redisUrl === undefined ? undefined : new JobNotifier({ url: redisUrl, log })
  const logLost = (cause: unknown) => log.warn({ err: cause }, 'a ring was lost, the sweep finds its job')
  const notifyDue = coalesceCalls(() => notices.notify(db, dueChannel, ''), logLost)
  const refusalMemory = new RefusalMemory()
  return {
    async enqueue(trx, job) {
      if (job.countsTowardsLimit) await refusalMemory.assertBelowLimit(trx, job.organization, job.type)
      return enqueue(trx, job)
    },
    assertNotRefusedRecently: (organization, type) => refusalMemory.assertNotRefused(organization, type),
    advanceJob: moveJob,
    countCompletedUnits: advanceAll,
    discardJob,
    endWaitingJobs,
    wakeJobs: wake,
    amendResults: amend,
    notifyWorker(job) {
      if (!notifier?.notifyWorker(job)) notifyDue()
    },
    isReady: () => notifier?.ready ?? true,
    close: async () => notifier?.close(),
  }
}

async function enqueue(trx: Knex, job: NewJob): Promise<string> {
  const id = newId()
  const {
    type,
    organization,
    application = null,
    product = null,
    endUser = null,
    total,
    payload,
    countsTowardsLimit = false,
    isHeld = false,
    dueAt = null,
  } = job
  await trx.raw(
    `insert into jobs (id, type, organization, application, product, end_user, ${jobStatus.column}, total, payload, counted,
       due_at)
     values (?, ?, ?, ?, ?, ?, ${jobStatus.target('create')}, ?, ?::jsonb, ?, coalesce(?::timestamptz, now()))`,
    [
      id,
      type,
      organization,
      application,
      product,
      endUser,
      total,
      formatJsonb(payload ?? null),
      countsTowardsLimit,
      dueAt,
    ] as Knex.RawBinding[],
  )
  if (isHeld) await trx.raw(`update jobs set due_at = now() + interval '1 year' where id = ?`, [id])
  return id
}

async function discardJob(trx: Knex, job: string): Promise<void> {
  await trx('jobs').where({ id: job, total: 0 }).delete()
}

async function endWaitingJobs(trx: Knex, organization: string, limit: number): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update jobs set ${jobStatus.set('fail')}, failed = total - completed, payload = '{}', state = '{}',
       lease_holder = null, lease_until = null, lease_worker = null
     where id = any(array(select id from jobs where organization = ? and status = 'pending' limit ?))`,
    [organization, limit],
  )
  return rowCount
}

async function advanceAll(trx: Knex, done: ReadonlyMap<string, number>): Promise<void> {
  await trx.raw(
    `update jobs set completed = completed + done.units from unnest(?::uuid[], ?::int[]) as done (id, units)
     where jobs.id = done.id and status = 'pending'`,
    [[...done.keys()], [...done.values()]],
  )
}

async function wake(trx: Knex, ...jobs: readonly string[]): Promise<void> {
  await trx.raw(
    `update jobs set woken = true, due_at = least(due_at, now()) where id = any(?::uuid[]) and status = 'pending'`,
    [jobs as string[]],
  )
  await trx.raw('select pg_notify(?, ?)', [dueChannel, ''])
}

/**
 * Amends in one statement for both cases: a run that ends a job at this moment is either seen by the statement, or
 * finds that it has lost the job.
 */
async function amend(trx: Knex, amendments: readonly ResultAmendment[]): Promise<void> {
  if (amendments.length === 0) return
  await trx.raw(
    `update jobs set
       result = case status when 'completed' then coalesce(jobs.result, '{}') || changed.result else jobs.result end,
       lease_holder = null, lease_until = null, lease_worker = null,
       woken = jobs.status = 'pending', due_at = least(due_at, now())
     from unnest(?::uuid[], ?::jsonb[]) as changed (id, result)
     where jobs.id = changed.id and status in ('pending', 'completed')`,
    [amendments.map(({ job }) => job), amendments.map(({ result }) => formatJsonb(result))],
  )
  await trx.raw('select pg_notify(?, ?)', [dueChannel, ''])
}

/** Runs `action` at most once at a time. Calls during a run share one further run. */
function coalesceCalls(action: () => Promise<void>, onError: (cause: unknown) => void): () => void {
  let running = false
  let again = false
  const run = async () => {
    do {
      again = false
      await action().catch(onError)
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
