import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'

/** Number of months whose partitions are created ahead, not counting the current month. */
const monthsAhead = 3
/**
 * Lock timeout in milliseconds. Creating or dropping a partition locks the table for a moment, and should fail rather
 * than make other queries wait.
 */
const lockTimeoutMs = 2_000

/**
 * Creates the partitions of the coming months and drops those that ended before the retention period, with the counts of
 * their scans. Any number of processes may run this at the same time.
 * @param now the current time; null means the clock of the database, because a worker's clock may be wrong
 */
export async function maintainEventMonths(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  now: Date | null = null,
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`)
    await trx.raw(
      `select make_events_month(((coalesce(?::timestamptz, now()) at time zone 'UTC') + make_interval(months => month))::date)
       from generate_series(0, ?) as month`,
      [now, monthsAhead] as Knex.RawBinding[],
    )
  })
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'events'::regclass and relname ~ '^events_\\d{4}_\\d{2}$'
       and (to_date(substr(relname, 8), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
         < coalesce(?::timestamptz, now()) - make_interval(days => ?)`,
    [now, settings.eventRetentionDays] as Knex.RawBinding[],
  )
  for (const { name } of rows) {
    await db.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`)
      await trx.schema.dropTableIfExists(name)
      await trx.raw(`delete from scan_counts where month = to_date(?, '"events_"YYYY_MM')`, [name])
    })
  }
}

/**
 * Merges the counts of scans that scans have appended since the last call. The worker calls this at intervals; concurrent
 * calls are allowed.
 */
export async function rollUpScanCounts(db: Knex): Promise<void> {
  await db.raw('select scan_counts_roll_up()')
}
