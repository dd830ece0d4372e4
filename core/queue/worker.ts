import type { JobDeclaration, JobType } from '../kernel/job.ts'
import type { Context } from '../kernel/work.ts'
import { JobNotifier } from './redis/job-notifier.ts'
import { createHandlers, type Handlers } from './engine/handlers.ts'
import { JobLeases } from './engine/leases.ts'
import { SlotPool } from '../kernel/process/slot-pool.ts'
import { startRepetition } from './upkeep/repeat.ts'
import { dueChannel } from './queue.ts'
import { JobRunner } from './engine/runner.ts'
import { JobTurns } from './engine/turns.ts'
import { startWatchdog } from './engine/watchdog.ts'

export interface WorkerOptions {
  context: Context
  jobs: readonly JobDeclaration<unknown>[]
  /** Job types that must have a handler; otherwise the worker does not start. */
  types?: readonly JobType[]
  /** Maximum number of jobs that run at the same time. */
  maxConcurrentJobs?: number
  /** Seconds before the second attempt, and maximum seconds between two attempts. */
  backoff?: { minSeconds: number; maxSeconds: number }
  /** Maximum milliseconds that a run may take without a step. */
  handlerTimeoutMs?: number
  /** Seconds that the event loop may stand still before the process is killed. */
  watchdogSeconds?: number
}

export interface Worker {
  /** Takes no further jobs, lets current steps finish for at most 15 s, and returns the remaining jobs. */
  stop(): Promise<void>
}

/** Intervals and timeout in milliseconds. */
const sweepIntervalMs = 1_000
const renewIntervalMs = 3_000
const checkIntervalMs = 500
const beatIntervalMs = 500
const stopTimeoutMs = 15_000
/**
 * Milliseconds for which a worker must be seen as gone, because one that only reconnects is back by then. The same
 * holds for a stray job.
 */
const minSeenMs = 1_500

/** Runs jobs until it is stopped, with a watchdog. @throws Error if a type has no handler or has two */
export function startWorker(options: WorkerOptions): Worker {
  const jobs = startJobs(options, createHandlers(options.jobs, options.types))
  const watchdog = startWatchdog(options.watchdogSeconds ?? 60)
  const beating = setInterval(watchdog.beat, beatIntervalMs)
  return {
    async stop() {
      await jobs.stop()
      clearInterval(beating)
      await watchdog.stop()
    },
  }
}

function startJobs(options: WorkerOptions, handlers: Handlers): Worker {
  const {
    context,
    maxConcurrentJobs = 8,
    backoff = { minSeconds: 1, maxSeconds: 60 },
    handlerTimeoutMs = 300_000,
  } = options
  const {
    db,
    notices,
    log,
    settings: { redisUrl },
  } = context
  const leases = new JobLeases({ db, types: [...handlers.keys()], worker: () => notices.processNumber })
  const runner = new JobRunner({ context, handlers, leases, backoff, handlerTimeoutMs })
  const places = new SlotPool(maxConcurrentJobs)
  const turns = new JobTurns(maxConcurrentJobs)

  const logFailure = (what: string) => (cause: unknown) => log.error({ err: cause }, what)
  const takeOnce = () => takeJobs({ leases, runner, places, turns }, () => void sweep.runSoon())
  const sweep = startRepetition(sweepIntervalMs, takeOnce, logFailure('the sweep of jobs failed'))
  const renewal = startRepetition(
    renewIntervalMs,
    () => runner.renewLeases(),
    logFailure('the renewal of leases failed'),
  )
  const findDead = createReaper(leases, runner, () => void sweep.runSoon())
  const reaping = startRepetition(sweepIntervalMs, findDead, logFailure('the look for dead workers failed'))
  const checking = setInterval(() => runner.checkRuns(), checkIntervalMs)
  const unsubscribe = notices.subscribe(dueChannel, () => void sweep.runSoon())
  const handleNotice = async () => {
    // Notices wait here while this worker has no room, so that workers with room get them.
    await places.waitForFreeSlot()
    await sweep.runSoon()
  }
  const notifier =
    redisUrl === undefined
      ? undefined
      : new JobNotifier({ url: redisUrl, log, listener: { maxConcurrentNotices: maxConcurrentJobs, handleNotice } })

  return {
    async stop() {
      unsubscribe()
      await Promise.all([sweep.stop(), reaping.stop()])
      await runner.stop(stopTimeoutMs)
      clearInterval(checking)
      await Promise.all([renewal.stop(), notifier?.close()])
    },
  }
}

interface TakeOptions {
  leases: JobLeases
  runner: JobRunner
  places: SlotPool
  turns: JobTurns
}

/**
 * Takes due jobs as far as there is room, whichever job a notice named: organizations take turns. Jobs beyond the free
 * slots are leased at once and run when a slot is free.
 * @param onRoom called when there is room again and there may be more jobs
 */
async function takeJobs({ leases, runner, places, turns }: TakeOptions, onRoom: () => void): Promise<void> {
  const standings = turns.getStandings()
  if (standings.wanted === 0) return
  const rows = await leases.takeDueJobs(standings)
  turns.recordTaken(rows, standings)
  for (const row of rows) {
    const { organization } = row
    void runner
      .runJob(
        row,
        places.acquire(organization).then(() => undefined),
      )
      .then((milliseconds) => {
        places.release(organization)
        if (turns.recordEnded(row, milliseconds, standings.cost)) onRoom()
      })
  }
}

/**
 * Creates a function that makes jobs due whose run has ended without notice: those of dead workers, those that this
 * worker holds without knowing them, and those whose lease has ended without renewal. For the first two, nothing has to
 * wait for the end of the leases.
 */
function createReaper(leases: JobLeases, runner: JobRunner, onFound: () => void): () => Promise<void> {
  const filterGone = createLastingFilter<number>()
  const filterStrays = createLastingFilter<string>()
  const filterEnded = createLastingFilter<string>(renewIntervalMs + minSeenMs)
  return async () => {
    const workers = filterGone(await leases.listGoneWorkers())
    if (workers.length > 0) await leases.freeJobsOfWorkers(workers)
    const holders = filterStrays(await leases.listStrayHolders(runner.listHolders()))
    if (holders.length > 0) await leases.dropHolders(holders)
    const over = filterEnded(await leases.listEndedHolders())
    const expired = over.length > 0 ? await leases.expireLeases(over) : 0
    if (workers.length + holders.length + expired > 0) onFound()
  }
}

/**
 * Creates a filter that passes only values that were seen in every call for at least `milliseconds`, measured by a
 * clock that never jumps.
 */
function createLastingFilter<T>(milliseconds = minSeenMs): (seen: readonly T[]) => T[] {
  const since = new Map<T, number>()
  return (seen) => {
    const now = performance.now()
    for (const one of since.keys()) if (!seen.includes(one)) since.delete(one)
    for (const one of seen) if (!since.has(one)) since.set(one, now)
    return seen.filter((one) => now - (since.get(one) ?? now) >= milliseconds)
  }
}
