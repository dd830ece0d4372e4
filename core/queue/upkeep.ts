import type { Context } from '../kernel/work.ts'
import { repeat } from './repeat.ts'

/** Something to put in order now and then. Has to bear running in several processes at a time. */
export interface UpkeepTask { name: string; run(context: Context): Promise<unknown> }

/** Milliseconds. */
const every = 3_600_000

/**
 * Runs each task once; one that fails keeps no other from its turn. @param isOver asked before each, whether to leave the
 * rest @returns names of those that failed
 */
export async function runUpkeep(context: Context, tasks: readonly UpkeepTask[], isOver = () => false): Promise<string[]> {
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

/** Runs the tasks at once and then every hour. One that fails is tried again at the next turn. */
export function startUpkeep(context: Context, tasks: readonly UpkeepTask[]): { stop(): Promise<void> } {
  const { log } = context
  let stopped = false
  const turn = async () => void await runUpkeep(context, tasks, () => stopped)
  const turns = repeat(every, turn, (cause) => log.error({ err: cause }, 'the upkeep failed'))
  return {
    stop: () => {
      stopped = true
      return turns.stop()
    },
  }
}
