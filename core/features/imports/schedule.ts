import type { Knex } from 'knex'
import { Problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { repeat } from '../../queue/repeat.ts'
import { MapperModel } from './mappers.model.ts'
import { startRun } from './mappers.run.ts'
import { nextRun } from './schedule.cron.ts'

/** Milliseconds between two looks for mappers that are due. */
const lookEvery = 2_000

/**
 * Runs mappers when their schedule says so, in however many workers: each occurrence once. What came due while no
 * worker was there is made up for by one run. A mapper whose last fetch is still being imported is left out this time.
 */
export function startSchedules(context: Context): { stop(): Promise<void> } {
  let stopped = false
  const look = async () => {
    while (!stopped && await runNext(context));
  }
  const failed = (cause: unknown) => context.log.error({ err: cause }, 'the look for due mappers failed')
  const looking = repeat(lookEvery, look, failed)
  return {
    stop: () => {
      stopped = true
      return looking.stop()
    },
  }
}

/** Takes one mapper that is due, and no other process takes it. @returns whether there was one */
async function runNext(context: Context): Promise<boolean> {
  const later: (() => void)[] = []
  const now = context.clock.now()
  const found = await context.db.transaction(async (trx) => {
    const mapper = await MapperModel.query(trx).where('next_run_at', '<=', now.toISOString())
      .orderBy('next_run_at').first().forUpdate().skipLocked()
    if (!mapper) return false
    const next = mapper.schedule === null ? undefined : nextRun(mapper.schedule, now)
    await MapperModel.query(trx).findById(mapper.id).patch({ nextRunAt: next?.toISOString() ?? null })
    const job = await startAside(trx, context, mapper, later)
    const message = job === null ? 'a mapper was due and still ran' : 'a mapper was due'
    context.log.info({ mapper: mapper.id, job, next }, message)
    return true
  })
  for (const action of later) action()
  return found
}

/** In a savepoint: a run that goes on, or too many that wait, refuse this one, and the next time is kept all the same. */
async function startAside(
  trx: Knex.Transaction, context: Context, mapper: MapperModel, later: (() => void)[],
): Promise<string | null> {
  try {
    return await trx.transaction(async (inner) => {
      const job = await startRun({ trx: inner, context, afterCommit: (action) => void later.push(action) }, mapper, 'scheduled')
      if (job === null) throw new StillRunning()
      return job
    })
  } catch (cause) {
    if (cause instanceof StillRunning || (cause instanceof Problem && cause.code === 'RATE_LIMITED')) return null
    throw cause
  }
}

class StillRunning extends Error {}
