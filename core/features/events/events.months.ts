import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'

/** Months that are made ahead, the present one not counted. */
const ahead = 3
/** Both changes lock the table for a moment: rather later than in the way of somebody, in milliseconds. */
const lockPatience = 2_000

/**
 * Makes the months to come and drops those that ended before the retention. Safe to run in any number of processes.
 * @param at what counts as now; without it the database's own clock, as that of a worker may be wrong
 */
export async function keepEventMonths({ db, settings }: Pick<Context, 'db' | 'settings'>, at: Date | null = null): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = ${lockPatience}`)
    await trx.raw(
      `select make_events_month(((coalesce(?::timestamptz, now()) at time zone 'UTC') + make_interval(months => month))::date)
       from generate_series(0, ?) as month`,
      [at, ahead] as Knex.RawBinding[])
  })
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'events'::regclass and relname ~ '^events_\\d{4}_\\d{2}$'
       and (to_date(substr(relname, 8), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
         < coalesce(?::timestamptz, now()) - make_interval(days => ?)`,
    [at, settings.eventRetentionDays] as Knex.RawBinding[])
  for (const { name } of rows) {
    await db.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockPatience}`)
      await trx.schema.dropTableIfExists(name)
    })
  }
}
