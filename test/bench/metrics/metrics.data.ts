import type { Knex } from 'knex'
import { startTemporarySetup, type BenchOptions, type BenchSetup } from '../bench-setup.ts'
import type { SeededPlatform } from '../data.ts'

/** The days for which an organization has figures: three years. */
const days = 1_095
/** Passports made, and accounts that are active, on each day. */
const passportsADay = 9_132
const activeADay = 30_000
const passports = days * passportsADay

/**
 * Starts a database with the figures of the days of an organization of 10,000,000 passports and 1,000,000 accounts. On
 * each day accounts come back after every number of days that there is, which is the most that a day can have to tell.
 */
export const startMetricsSetup = (options: BenchOptions): Promise<BenchSetup<SeededPlatform>> =>
  startTemporarySetup(options, { prefix: '', files: [], fill: fillDays })

async function fillDays(db: Knex, seeded: SeededPlatform): Promise<SeededPlatform> {
  const { organization, application } = seeded
  await db.raw(
    `insert into metric_days (organization, subject, day, passports_created, passports_published, passports_minted, claims,
       scans, certified, certify_failed, imports_completed, accounts_created, visits, points_minted, points_burnt,
       points_expired, orders, gaps, reach)
     select ?, subject, current_date - ?::int + number, ?, ? - 20, ? - 100, number, 4 * number, ? - 50, 50, 3, 900, 21000,
       5000000 + number, 3000000 + number, 90000, 15000, part.gaps, part.reach
     from unnest(array[?, ?]::uuid[]) subject, generate_series(1, ?::int) number, lateral (
       select array_agg(gap::smallint order by gap) as gaps, array_agg(reach order by gap) as reach from (
         select gap, (sum(accounts) over (order by gap desc))::int as reach from (
           select gap, ?::int / number + (gap * 7919 + number * 104729) % 13 as accounts from generate_series(1, number) gap
           union all select 32767, 900) each) summed) part`,
    [
      organization,
      days,
      ...Array.from({ length: 4 }, () => passportsADay),
      organization,
      application,
      days,
      activeADay,
    ] as Knex.RawBinding[],
  )
  await db.raw(
    `insert into passport_counts (organization, dimension, value, delta)
     select ?, 'status', status, ?::int / 4 from unnest(array['draft', 'published', 'claimed', 'archived']) status`,
    [organization, passports],
  )
  await db.raw('vacuum (analyze) metric_days')
  return seeded
}
