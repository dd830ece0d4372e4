import { PostgresNotices } from '../database/notices.ts'
import type { JobDeclaration, JobType } from '../kernel/job.ts'
import type { Context } from '../kernel/work.ts'
import { Bell } from './bell.ts'
import { startCourier } from './courier.ts'
import { handlersOf, type Handlers } from './handlers.ts'
import { leasesOf, type Leases } from './leases.ts'
import { repeat } from './repeat.ts'
import { dueChannel } from './queue.ts'
import { Runner } from './runner.ts'
import { Slots } from './slots.ts'
import { startUpkeep, type UpkeepTask } from './upkeep.ts'
import { startWatchdog } from './watchdog.ts'

export interface WorkerOptions {
  context: Context
  jobs: readonly JobDeclaration<unknown>[]
  /** Types that have to have a handler, or the start is refused. */
  types?: readonly JobType[]
  /** Jobs at once. */
  concurrency?: number
  /** Seconds before the second attempt, and the longest pause between two. */
  backoff?: { least: number; most: number }
  /** Milliseconds that a run may go on without a step. */
  patience?: number
  /** Seconds that the event loop may stand still before the process is killed. */
  watchdog?: number
  /** What features want to have put in order now and then. */
  upkeep?: readonly UpkeepTask[]
}

export interface Worker {
  /** Takes nothing more, lets steps in hand finish for at most 15 s, hands the rest back. */
  stop(): Promise<void>
}

/** Milliseconds. */
const sweepEvery = 1_000
const renewEvery = 3_000
const checkEvery = 500
const beatEvery = 500
const stopPatience = 15_000
/** A worker has to be seen gone twice, this far apart: one that only reconnects is back by then. */
const goneFor = 1_500

/** Runs jobs, sends messages and does the upkeep until it is stopped. @throws Error when a type has no handler or two */
export function startWorker(options: WorkerOptions): Worker {
  const { context, upkeep = [], watchdog: seconds = 60 } = options
  const jobs = startJobs(options, handlersOf(options.jobs, options.types))
  const courier = startCourier({ context })
  const chores = startUpkeep(context, upkeep)
  const watchdog = startWatchdog(seconds)
  const beating = setInterval(watchdog.beat, beatEvery)
  return {
    async stop() {
      await Promise.all([jobs.stop(), courier.stop(), chores.stop()])
      clearInterval(beating)
      await watchdog.stop()
    },
  }
}

function startJobs({ context, concurrency = 8, backoff, patience = 300_000 }: WorkerOptions, handlers: Handlers): Worker {
  const { db, notices, log, settings: { redisUrl } } = context
  const worker = () => notices instanceof PostgresNotices && notices.present ? notices.number : null
  const leases = leasesOf({ db, types: [...handlers.keys()], worker })
  const runner = new Runner({ context, handlers, leases, backoff: backoff ?? { least: 1, most: 60 }, patience })
  const takers = takersOf(leases, runner, new Slots(concurrency))

  const failed = (what: string) => (cause: unknown) => log.error({ err: cause }, what)
  const sweep = repeat(sweepEvery, () => takers.sweep(() => sweep.soon()), failed('the sweep of jobs failed'))
  const renewal = repeat(renewEvery, () => runner.renew(), failed('the renewal of leases failed'))
  const reaping = repeat(sweepEvery, reaper(leases, () => sweep.soon()), failed('the look for dead workers failed'))
  const checking = setInterval(() => runner.check(), checkEvery)
  const deafen = notices.on(dueChannel, () => sweep.soon())
  const hear = (job: string) => takers.rung(job).catch(failed('a rung job could not be taken'))
  const bell = redisUrl === undefined ? undefined : new Bell({ url: redisUrl, log, hearer: { concurrency, hear } })

  return {
    async stop() {
      deafen()
      takers.stop()
      await Promise.all([sweep.stop(), reaping.stop()])
      await runner.stop(stopPatience)
      clearInterval(checking)
      await Promise.all([renewal.stop(), bell?.close()])
    },
  }
}

/** The two ways a job comes to a run: found by the sweep, or rung. Both share the places. */
function takersOf(leases: Leases, runner: Runner, slots: Slots) {
  let stopped = false
  return {
    /** Takes as much as there is room for. @param more called when room comes free and there may be more */
    async sweep(more: () => void): Promise<void> {
      const room = slots.takeFree()
      if (room === 0) return
      const rows = await leases.takeDue(room).catch((cause: unknown) => {
        slots.give(room)
        throw cause
      })
      slots.give(room - rows.length)
      const full = rows.length === room
      for (const row of rows) {
        void runner.run(row).then(() => {
          slots.give()
          if (full) more()
        })
      }
    },
    async rung(job: string): Promise<void> {
      await slots.take()
      try {
        const row = stopped ? undefined : await leases.takeRung(job)
        if (row) await runner.run(row)
      } finally {
        slots.give()
      }
    },
    stop() {
      stopped = true
    },
  }
}

/** Looks for workers that died and makes their jobs due, so that nobody waits for the end of their leases. */
function reaper(leases: Leases, found: () => void): () => Promise<void> {
  const since = new Map<number, number>()
  return async () => {
    const gone = await leases.gone()
    const now = Date.now()
    for (const number of since.keys()) if (!gone.includes(number)) since.delete(number)
    for (const number of gone) if (!since.has(number)) since.set(number, now)
    const certain = gone.filter((number) => now - (since.get(number) ?? now) >= goneFor)
    if (certain.length === 0) return
    await leases.free(certain)
    for (const number of certain) since.delete(number)
    found()
  }
}
