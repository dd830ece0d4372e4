import type { Knex } from 'knex'
import type { Context } from '../kernel/work.ts'
import { repeat } from './repeat.ts'

/** Something to put in order now and then. Has to bear running in several processes at a time. */
export interface UpkeepTask { name: string; run(context: Context): Promise<unknown> }

/** Milliseconds. */
const every = 3_600_000
const messageDays = 7
/** Rows a statement removes, so that none holds locks for long. */
const batch = 5_000

const oldMessages = `created_at < now() - interval '${messageDays} days' and status <> 'queued'`

const ownTasks: readonly UpkeepTask[] = [
  { name: 'old messages', run: ({ db }) => removeRows(db, 'messages', oldMessages) },
  { name: 'old idempotency records', run: ({ db }) => removeRows(db, 'idempotency', 'expires_at < now()') },
]

/** Runs the tasks at once and then every hour. One that fails is tried again at the next turn. */
export function startUpkeep(context: Context, tasks: readonly UpkeepTask[]): { stop(): Promise<void> } {
  const { log } = context
  let stopped = false
  const turn = async () => {
    for (const { name, run } of [...ownTasks, ...tasks]) {
      if (stopped) return
      await run(context).catch((cause: unknown) => log.error({ err: cause, task: name }, 'a task of the upkeep failed'))
    }
  }
  const turns = repeat(every, turn, (cause) => log.error({ err: cause }, 'the upkeep failed'))
  return {
    stop: () => {
      stopped = true
      return turns.stop()
    },
  }
}

async function removeRows(db: Knex, table: string, condition: string): Promise<void> {
  for (;;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${condition} limit ${batch} for update skip locked))`)
    if (rowCount < batch) return
  }
}
