import { createEarlierPostingSql, recordedPostingsSql } from '../../ledger/index.ts'
import { recordedEventsSql } from '../events/index.ts'
import { pointsBookName, visitsBookName } from '../loyalty/index.ts'

/** The columns of events and tallies, and the code that each counts. */
const eventColumns: Readonly<Record<string, string>> = {
  passports_created: 'dppPassport.create',
  passports_published: 'dppPassport.publish',
  passports_minted: 'passportsMinted',
  claims: 'dppPassport.claim',
  scans: 'scans',
  certified: 'certified',
  certify_failed: 'certifyFailed',
  imports_completed: 'importsCompleted',
  accounts_created: 'wallet.create',
}

/** The columns of postings, and what each sums up. */
const postingColumns: Readonly<Record<string, string>> = {
  visits: `count(*) filter (where book = '${visitsBookName}' and kind = 'visit')`,
  points_minted: `sum(amount) filter (where book = '${pointsBookName}' and amount > 0)`,
  points_burnt: `-sum(amount) filter (where book = '${pointsBookName}' and amount < 0 and kind <> 'expire')`,
  points_expired: `-sum(amount) filter (where book = '${pointsBookName}' and kind = 'expire')`,
  orders: `count(*) filter (where book = '${pointsBookName}' and kind = 'order')`,
}

const columns = [...Object.keys(eventColumns), ...Object.keys(postingColumns)]

const formatColumns = (figures: Readonly<Record<string, string>>) =>
  Object.entries(figures)
    .map(([name, sum]) => `coalesce(${sum}, 0) as ${name}`)
    .join(', ')

/** The local day of a time. @param row alias of a row with `at`, beside the `zone` of its organization */
const createDaySql = (row: string) => `(${row}.at at time zone zone.time_zone)::date`

/** The time zone of the organization of a row. Its bindings are twice the one organization that counts, or null. */
const createZoneSql = (row: string) => `join metric_organizations zone on zone.organization = ${row}.organization
  and (?::uuid is null or zone.organization = ?::uuid)`

/** What counts for an application counts for its organization too. @param application column of the row */
const createSubjectsSql = (row: string, application: string) =>
  `cross join lateral (values (${row}.${application}), (${row}.organization)) as counted (subject)`

/**
 * Adds what was recorded in a time to the figures of its days. Bindings: those of `recordedEventsSql`, the organization
 * twice, those of `recordedPostingsSql`, the organization twice.
 */
export const addFiguresSql = `with
  of_events as (
    select recorded.organization, counted.subject, ${createDaySql('recorded')} as day, ${formatColumns(
      Object.fromEntries(
        Object.entries(eventColumns).map(([name, code]) => [name, `sum(number) filter (where code = '${code}')`]),
      ),
    )}
    from (${recordedEventsSql}) recorded ${createZoneSql('recorded')} ${createSubjectsSql('recorded', 'application')}
    where code in (${Object.values(eventColumns)
      .map((code) => `'${code}'`)
      .join(', ')})
    group by 1, 2, 3),
  of_postings as (
    select posting.organization, counted.subject, ${createDaySql('posting')} as day, ${formatColumns(postingColumns)}
    from (${recordedPostingsSql}) posting ${createZoneSql('posting')} ${createSubjectsSql('posting', 'subject')}
    group by 1, 2, 3)
  insert into metric_days as known (organization, subject, day, ${columns.join(', ')})
    select organization, subject, day, ${columns.map((name) => `coalesce(${name}, 0)`).join(', ')}
    from of_events full join of_postings using (organization, subject, day) order by organization, subject, day
  on conflict (organization, subject, day) do update
    set ${columns.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}`

/** The longest gap between two activities that is told apart, in days, and the number for an account without an earlier one. */
const maxGap = 32_766
const firstGap = 32_767

/**
 * Adds the accounts that were active in a time to those of its days. Times have to be added in their order, because an
 * account that was active on the day before the time is counted already. Bindings: those of `recordedPostingsSql`, the
 * organization twice, the kinds of entries that are no activity, and those of `createEarlierPostingSql`.
 */
export const addActivitySql = `with
  active as (
    select posting.organization, posting.subject, posting.owner, ${createDaySql('posting')} as day, zone.time_zone,
      min(posting.at) as at
    from (${recordedPostingsSql}) posting ${createZoneSql('posting')}
    where posting.kind <> all(?::text[]) group by 1, 2, 3, 4, 5),
  dated as (
    select active.organization, active.subject, active.day, case when earlier.at is null then ${firstGap}
      else least(active.day - (earlier.at at time zone active.time_zone)::date, ${maxGap}) end as gap
    from active cross join lateral (${createEarlierPostingSql('active')}) earlier),
  added as (
    select dated.organization, counted.subject, day, gap, count(*) as number
    from dated ${createSubjectsSql('dated', 'subject')} where gap > 0 group by 1, 2, 3, 4),
  known as (
    select organization, subject, day, part.gap, part.reach - coalesce(lead(part.reach) over (
      partition by organization, subject, day order by part.gap), 0) as number
    from (select distinct organization, subject, day from added) touched
      join metric_days using (organization, subject, day)
      cross join lateral unnest(metric_days.gaps, metric_days.reach) as part (gap, reach)),
  merged as (
    select organization, subject, day, gap, sum(sum(number)) over (
      partition by organization, subject, day order by gap desc) as reach
    from (select * from added union all select * from known) parts group by organization, subject, day, gap)
  insert into metric_days (organization, subject, day, gaps, reach)
    select organization, subject, day, array_agg(gap::smallint order by gap), array_agg(reach::int order by gap)
    from merged group by organization, subject, day order by organization, subject, day
  on conflict (organization, subject, day) do update set gaps = excluded.gaps, reach = excluded.reach`

/**
 * Creates the SQL of how many accounts were active on the day of a row and had not been active since the days before.
 * @param since SQL of the date that begins the time
 */
export const createNewlyActiveSql = (since: string): string =>
  `coalesce(reach[width_bucket(least(day - ${since}, ${maxGap})::smallint, gaps) + 1], 0)`
