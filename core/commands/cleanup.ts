import { cleaningTasks } from '../cleaning.ts'
import { StartError } from '../kernel/process.ts'
import type { Context } from '../kernel/work.ts'
import { runUpkeep } from '../queue/upkeep.ts'

/** Removes what has been kept for its days, beside workers that do the same. @throws StartError with what was not done */
export async function cleanUp(context: Context): Promise<{ seconds: number; bytes: number }> {
  const began = performance.now()
  const failed = await runUpkeep(context, cleaningTasks(context.settings))
  if (failed.length > 0) throw new StartError(failed.map((name) => `Not done: ${name}; all else was, and it can be run again`))
  const { rows: [size] } = await context.db.raw<{ rows: { bytes: string }[] }>('select pg_database_size(current_database()) as bytes')
  return { seconds: Math.round(performance.now() - began) / 1000, bytes: Number(size?.bytes) }
}
