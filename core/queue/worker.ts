import type { JobDeclaration, JobType } from '../kernel/job.ts'
import type { Context } from '../kernel/work.ts'
import { Bell } from './bell.ts'
import { handlersOf, type Handlers } from './handlers.ts'
import { Leases } from './leases.ts'
import { Places } from '../kernel/places.ts'
import { repeat } from './repeat.ts'
import { dueChannel } from './queue.ts'
import { Runner } from './runner.ts'
import { Turns } from './turns.ts'
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
/** A worker has to be seen gone twice, this far apart: one that only reconnects is back by then. A stray job, too. */
const seenFor = 1_500

/** Runs jobs until it is stopped, under a watchdog. @throws Error when a type has no handler or two */
export function startWorker(options: WorkerOptions): Worker {
  const jobs = startJobs(options, handlersOf(options.jobs, options.types))
  const watchdog = startWatchdog(options.watchdog ?? 60)
  const beating = setInterval(watchdog.beat, beatEvery)
  return {
    async stop() {
      await jobs.stop()
      clearInterval(beating)
      await watchdog.stop()
    },
  }
}

function startJobs(options: WorkerOptions, handlers: Handlers): Worker {
  const { context, concurrency = 8, backoff = { least: 1, most: 60 }, patience = 300_000 } = options
  const { db, notices, log, settings: { redisUrl } } = context
  const leases = new Leases({ db, types: [...handlers.keys()], worker: () => notices.presence })
  const runner = new Runner({ context, handlers, leases, backoff, patience })
  const places = new Places(concurrency)
  const turns = new Turns(concurrency)

  const failed = (what: string) => (cause: unknown) => log.error({ err: cause }, what)
  const sweepOnce = () => take({ leases, runner, places, turns }, () => void sweep.soon())
  const sweep = repeat(sweepEvery, sweepOnce, failed('the sweep of jobs failed'))
  const renewal = repeat(renewEvery, () => runner.renew(), failed('the renewal of leases failed'))
  const reap = reaper(leases, runner, () => void sweep.soon())
  const reaping = repeat(sweepEvery, reap, failed('the look for dead workers failed'))
  const checking = setInterval(() => runner.check(), checkEvery)
  const deafen = notices.on(dueChannel, () => void sweep.soon())
  const hear = async () => {
    // Rings wait here while there is no room, so that they go to workers that have some.
    await places.vacancy()
    await sweep.soon()
  }
  const bell = redisUrl === undefined ? undefined : new Bell({ url: redisUrl, log, hearer: { concurrency, hear } })

  return {
    async stop() {
      deafen()
      await Promise.all([sweep.stop(), reaping.stop()])
      await runner.stop(stopPatience)
      clearInterval(checking)
      await Promise.all([renewal.stop(), bell?.close()])
    },
  }
}

interface Taking { leases: Leases; runner: Runner; places: Places; turns: Turns }

/**
 * Takes due jobs as far as there is room for them, whoever rang for whichever: organizations have their turns. What is
 * taken beyond the places is held at once and runs when a place comes free.
 * @param more called when room comes free and there may be more
 */
async function take({ leases, runner, places, turns }: Taking, more: () => void): Promise<void> {
  const standings = turns.standings()
  if (standings.wanted === 0) return
  const rows = await leases.takeDue(standings)
  turns.take(rows, standings)
  for (const row of rows) {
    const { organization } = row
    void runner.run(row, places.enter(organization).then(() => undefined)).then((milliseconds) => {
      places.leave(organization)
      if (turns.end(row, milliseconds, standings.cost)) more()
    })
  }
}

/**
 * Looks for workers that died, for jobs that this one holds and does not know of, so that nobody waits for the end of
 * their leases, and for leases that have ended and that nobody renews, and makes their jobs due.
 */
function reaper(leases: Leases, runner: Runner, found: () => void): () => Promise<void> {
  const gone = lasting<number>()
  const strays = lasting<string>()
  const ended = lasting<string>(renewEvery + seenFor)
  return async () => {
    const workers = gone(await leases.gone())
    if (workers.length > 0) await leases.free(workers)
    const holders = strays(await leases.strays(runner.held()))
    if (holders.length > 0) await leases.drop(holders)
    const over = ended(await leases.ended())
    const expired = over.length > 0 ? await leases.expire(over) : 0
    if (workers.length + holders.length + expired > 0) found()
  }
}

/** Of what is seen at each look, what was seen at every one for so long. @param milliseconds of a clock that never jumps */
function lasting<T>(milliseconds = seenFor): (seen: readonly T[]) => T[] {
  const since = new Map<T, number>()
  return (seen) => {
    const now = performance.now()
    for (const one of since.keys()) if (!seen.includes(one)) since.delete(one)
    for (const one of seen) if (!since.has(one)) since.set(one, now)
    return seen.filter((one) => now - (since.get(one) ?? now) >= milliseconds)
  }
}
