import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { startRepetition } from './repeat.ts'
import type { UpkeepTask } from './upkeep.ts'

/**
 * Milliseconds between two checks of the clock, and the lag in milliseconds from which the clock counts as set back.
 */
const lookIntervalMs = 1_000
const maxLagMs = 2_000

/**
 * SQL condition for a row that was written before the clock was set back, by more seconds than the clocks of two
 * machines differ.
 */
const writtenAheadCondition = `updated_at > now() + interval '5 s'`

/**
 * Tasks that make waiting jobs and messages wait as long from now as was intended when they were written; what was due
 * is due again. `updated_at` gets the new time, so that a row is put right once, by whichever process comes first.
 */
const queueTasks: readonly UpkeepTask[] = [
  {
    name: 'jobs that wait',
    run: async ({ db }) =>
      db.raw(
        `update jobs set due_at = now() + greatest(due_at - updated_at, interval '0'), updated_at = now()
       where status = 'pending' and lease_until is null and ${writtenAheadCondition}`,
      ),
  },
  {
    name: 'messages that wait',
    run: async ({ db }) =>
      db.raw(
        `update messages set due_at = now() + greatest(due_at - updated_at, interval '0'), updated_at = now()
       where status = 'queued' and ${writtenAheadCondition}`,
      ),
  },
]

/**
 * Runs these tasks at the start and whenever the database's clock has been set back: otherwise waits, limits and codes
 * that were written before would last longer by that time. Each task must be safe to run in several processes at the
 * same time.
 */
export function startClockWatch(context: Context, tasks: readonly UpkeepTask[]): { stop(): Promise<void> } {
  const { db, log } = context
  let earlier: { database: number; here: number } | undefined
  const checkClock = async () => {
    const database = await readDatabaseMs(db)
    const here = performance.now()
    const isBehind = earlier === undefined || database - earlier.database < here - earlier.here - maxLagMs
    if (earlier && isBehind)
      log.warn(
        { milliseconds: Math.round(database - earlier.database - here + earlier.here) },
        'the clock was put back',
      )
    earlier = { database, here }
    if (!isBehind) return
    for (const { name, run } of [...queueTasks, ...tasks]) {
      await run(context).catch((cause: unknown) =>
        log.error({ err: cause, task: name }, 'what was written before the clock went back is not put right'),
      )
    }
  }
  return startRepetition(lookIntervalMs, checkClock, (cause) =>
    log.warn({ err: cause }, 'the clock of the database could not be looked at'),
  )
}

async function readDatabaseMs(db: Knex): Promise<number> {
  const {
    rows: [row],
  } = await db.raw<{ rows: { ms: number }[] }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  return row?.ms ?? 0
}
