import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { startRepetition } from '../../queue/upkeep/repeat.ts'
import { addToDays, repeatDaysSince, repeatNextDay, updateTimeZones } from './days.store.ts'

/** Interval between two folds, in milliseconds. */
const foldIntervalMs = 1_000
/** The longest time that one transaction folds, in hours. */
const maxFoldHours = 24
/** The time for which days are counted again before what is new is folded, in milliseconds. */
const repeatBudgetMs = 1_000
/** Seconds for which the end of the last fold stays where it is while nothing happens, so that nothing is written. */
const idleSeconds = 60

/**
 * Starts what keeps the figures of days: it adds what was recorded since the last fold, exactly once, because the end of
 * a fold is stored with what it added. Any number of workers can do it; one of them does at a time.
 */
export function startMetricFolds(context: Context): { stop(): Promise<void> } {
  let isStopped = false
  const repetition = startRepetition(
    foldIntervalMs,
    () => foldAll(context, () => isStopped),
    (cause) => context.log.error({ err: cause }, 'the figures of days could not be counted'),
  )
  return {
    stop: () => {
      isStopped = true
      return repetition.stop()
    },
  }
}

/**
 * Folds until now, and counts days again as long as there are some, with a fold now and then.
 * @param isOver checked before each transaction
 */
async function foldAll({ db, settings }: Context, isOver: () => boolean): Promise<void> {
  const doAlone = async (work: (trx: Knex) => Promise<boolean>) =>
    !isOver() && (await db.transaction(async (trx) => (await tryLock(trx)) && work(trx)))
  for (let hasMore = true; hasMore;) {
    while (await doAlone((trx) => foldNext(trx, settings.eventRetentionDays)));
    const endsAtMs = performance.now() + repeatBudgetMs
    do hasMore = await doAlone(repeatNextDay)
    while (hasMore && performance.now() < endsAtMs)
  }
}

async function tryLock(trx: Knex): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ is_own: boolean }] }>(
    `select pg_try_advisory_xact_lock(hashtextextended('metric folds', 0)) as is_own`,
  )
  return rows[0].is_own
}

/**
 * The end of the last fold, and that of the next: whatever is recorded from now on has a later time. Every transaction
 * that is under way began at `xact_start`, and gives its rows that time or a later one; one that began within the last
 * second may not be shown yet. A backup writes nothing. Times of rows are whole milliseconds.
 */
const foldSql = `
  select folded_until as from, next.until, least(next.until, folded_until + interval '${maxFoldHours} hours') as step,
    now() < folded_until as is_clock_behind
  from metric_folds, (
    select date_trunc('milliseconds', least(now() - interval '1 s', min(xact_start))) - interval '1 ms' as until
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      and application_name <> 'pg_dump') next`

interface FoldRow {
  from: Date
  until: Date
  step: Date
  is_clock_behind: boolean
}

/** Folds the next time. @returns whether there is more */
async function foldNext(trx: Knex, eventRetentionDays: number): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: FoldRow[] }>(foldSql)
  const { from, until, step, is_clock_behind: isClockBehind } = rows[0]!
  await updateTimeZones(trx, eventRetentionDays)
  if (isClockBehind) {
    await repeatDaysSince(trx, until.toISOString())
    await storeEnd(trx, until)
    return false
  }
  if (step <= from) return false
  const hasAdded = await addToDays(trx, { from: from.toISOString(), until: step.toISOString() })
  if (hasAdded || step.getTime() - from.getTime() > idleSeconds * 1_000) await storeEnd(trx, step)
  return step < until
}

async function storeEnd(trx: Knex, end: Date): Promise<void> {
  await trx.raw('update metric_folds set folded_until = ?', [end.toISOString()])
}
