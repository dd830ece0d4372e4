import type { Knex } from 'knex'
import type { Context } from '../kernel/work.ts'
import { repeat } from './repeat.ts'
import type { UpkeepTask } from './upkeep.ts'

/** Milliseconds between two looks at the clock, and by how many it may lag behind before it counts as put back. */
const lookEvery = 1_000
const maxLag = 2_000

/** What was written by a clock that has been put back since, by more seconds than two machines differ. */
const fromAhead = `updated_at > now() + interval '5 s'`

/** A wait is measured from when it was written, and goes on as long as it was meant to. */
const ownTasks: readonly UpkeepTask[] = [
  {
    name: 'jobs that wait', run: async ({ db }) => db.raw(
      `update jobs set due_at = now() + (due_at - updated_at)
       where status = 'pending' and lease_until is null and ${fromAhead} and due_at > updated_at`),
  },
  {
    name: 'messages that wait', run: async ({ db }) => db.raw(
      `update messages set due_at = now() + greatest(due_at - updated_at, interval '0'), updated_at = now()
       where status = 'queued' and ${fromAhead}`),
  },
]

/**
 * Does these tasks at the start and whenever the database's clock has been put back: waits, limits and codes that were
 * written before would last longer by as much. Each has to bear running in several processes at a time.
 */
export function startClockWatch(context: Context, tasks: readonly UpkeepTask[]): { stop(): Promise<void> } {
  const { db, log } = context
  let before: { database: number; here: number } | undefined
  const look = async () => {
    const database = await databaseMs(db)
    const here = performance.now()
    const isBehind = before === undefined || database - before.database < here - before.here - maxLag
    if (before && isBehind) log.warn({ milliseconds: Math.round(database - before.database - here + before.here) }, 'the clock was put back')
    before = { database, here }
    if (!isBehind) return
    for (const { name, run } of [...ownTasks, ...tasks]) {
      await run(context).catch((cause: unknown) => log.error({ err: cause, task: name }, 'what was written before the clock went back is not put right'))
    }
  }
  return repeat(lookEvery, look, (cause) => log.warn({ err: cause }, 'the clock of the database could not be looked at'))
}

async function databaseMs(db: Knex): Promise<number> {
  const { rows: [row] } = await db.raw<{ rows: { ms: number }[] }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  return row?.ms ?? 0
}
