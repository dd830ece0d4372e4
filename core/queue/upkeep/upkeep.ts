import type { Context } from '../../kernel/work.ts'
import { startRepetition } from './repeat.ts'

/** A task that is repeated at intervals. It must be safe to run in several processes at the same time. */
export interface UpkeepTask {
  name: string
  run(context: Context): Promise<unknown>
}

/** Interval in milliseconds: one hour. */
const upkeepIntervalMs = 3_600_000

/**
 * Runs each task once. A task that fails does not prevent the others.
 * @param isOver checked before each task; if it returns true, the remaining tasks are skipped
 * @returns the names of the tasks that failed
 */
export async function runUpkeep(
  context: Context,
  tasks: readonly UpkeepTask[],
  isOver = () => false,
): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of tasks) {
    if (isOver()) break
    await run(context).catch((cause: unknown) => {
      context.log.error({ err: cause, task: name }, 'a task of the upkeep failed')
      failed.push(name)
    })
  }
  return failed
}

/** Runs the tasks at once and then every hour. A task that fails is retried in the next hour. */
export function startUpkeep(context: Context, tasks: readonly UpkeepTask[]): { stop(): Promise<void> } {
  const { log } = context
  let stopped = false
  const turn = async () => void (await runUpkeep(context, tasks, () => stopped))
  const turns = startRepetition(upkeepIntervalMs, turn, (cause) => log.error({ err: cause }, 'the upkeep failed'))
  return {
    stop: () => {
      stopped = true
      return turns.stop()
    },
  }
}
