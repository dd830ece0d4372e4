import { createCleaningTasks } from '../../app/cleaning.ts'
import { StartError } from '../../kernel/process/process.ts'
import type { Context } from '../../kernel/work.ts'
import { runUpkeep } from '../../queue/upkeep/upkeep.ts'

/**
 * Removes everything whose retention time is over. Workers may do the same meanwhile.
 * @throws StartError with the failed tasks
 */
export async function runCleanup(context: Context): Promise<{ seconds: number; bytes: number }> {
  const began = performance.now()
  const failed = await runUpkeep(context, createCleaningTasks(context.settings))
  if (failed.length > 0)
    throw new StartError(failed.map((name) => `Not done: ${name}; all else was, and it can be run again`))
  const {
    rows: [size],
  } = await context.db.raw<{ rows: { bytes: string }[] }>('select pg_database_size(current_database()) as bytes')
  return { seconds: Math.round(performance.now() - began) / 1000, bytes: Number(size?.bytes) }
}
