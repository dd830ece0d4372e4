import type { Knex } from 'knex'
import { ProblemError } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { startRepetition } from '../../../queue/upkeep/repeat.ts'
import { MapperModel } from './mappers.model.ts'
import { startMapperRun } from './mappers.run.ts'
import { findNextRun } from './schedule.cron.ts'

/** The interval between two checks for mappers that are due, in milliseconds. */
const checkIntervalMs = 2_000

/**
 * Starts to run mappers by their schedules, each occurrence once, however many workers there are. One run makes up for
 * all occurrences while no worker was running. A mapper whose last fetch is still being imported is left out this time, those
 * of deleted organizations until they are restored.
 */
export function startSchedules(context: Context): { stop(): Promise<void> } {
  let stopped = false
  const runDueMappers = async () => {
    while (!stopped && (await runNextDueMapper(context)));
  }
  const logFailure = (cause: unknown) => context.log.error({ err: cause }, 'the look for due mappers failed')
  const loop = startRepetition(checkIntervalMs, runDueMappers, logFailure)
  return {
    stop: () => {
      stopped = true
      return loop.stop()
    },
  }
}

/** Runs one mapper that is due; no other process runs it too. @returns whether there was one */
async function runNextDueMapper(context: Context): Promise<boolean> {
  const afterCommitActions: (() => void)[] = []
  const now = context.clock.now()
  const wasDue = await context.db.transaction(async (trx) => {
    const mapper = await MapperModel.query(trx)
      .where('next_run_at', '<=', now.toISOString())
      .whereRaw('not is_organization_deleted(organization)')
      .orderBy('next_run_at')
      .first()
      .forUpdate()
      .skipLocked()
    if (!mapper) return false
    const next = mapper.schedule === null ? undefined : findNextRun(mapper.schedule, now)
    await MapperModel.query(trx)
      .findById(mapper.id)
      .patch({ nextRunAt: next?.toISOString() ?? null })
    const job = await startInSavepoint(trx, context, mapper, afterCommitActions)
    const message = job === null ? 'a mapper was due and still ran' : 'a mapper was due'
    context.log.info({ mapper: mapper.id, job, next }, message)
    return true
  })
  for (const action of afterCommitActions) action()
  return wasDue
}

/**
 * Starts a run in a savepoint: if the last run goes on or too many runs wait, this run is refused, but the next time is
 * stored.
 */
async function startInSavepoint(
  trx: Knex.Transaction,
  context: Context,
  mapper: MapperModel,
  later: (() => void)[],
): Promise<string | null> {
  try {
    return await trx.transaction(async (inner) => {
      const job = await startMapperRun(
        { trx: inner, context, afterCommit: (action) => void later.push(action) },
        mapper,
        'scheduled',
      )
      if (job === null) throw new StillRunningError()
      return job
    })
  } catch (cause) {
    if (cause instanceof StillRunningError || (cause instanceof ProblemError && cause.code === 'RATE_LIMITED'))
      return null
    throw cause
  }
}

class StillRunningError extends Error {}
