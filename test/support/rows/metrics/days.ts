import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** An event of the past to write. */
export interface PastEvent {
  subject: 'dppPassport' | 'wallet'
  type: string
  at: string
}

/** Inserts events at times of the test's choice. They are counted when their days are counted again. */
export async function insertPastEvents(
  db: Knex,
  { organization, application }: { organization: string; application: string },
  events: readonly PastEvent[],
): Promise<void> {
  await db('events').insert(
    events.map(({ subject, type, at }) => ({
      id: v7(),
      organization,
      application,
      application_name: 'Past',
      subject,
      type,
      created_at: at,
    })),
  )
}

/** An entry of the past to write, of an account that need not exist. */
export interface PastEntry {
  account: string
  book: 'points' | 'visits'
  kind: string
  /** Signed. */
  amount: number
  at: string
}

/** Inserts entries of the ledger at times of the test's choice, in books of the application. */
export async function insertPastEntries(
  db: Knex,
  { organization, application }: { organization: string; application: string },
  entries: readonly PastEntry[],
): Promise<void> {
  await db.raw(
    `insert into ledger_books (id, organization, name, subject, network, has_lots)
     values (?, ?, 'points', ?, 'EthereumAnvil', true), (?, ?, 'visits', ?, null, false)
     on conflict (name, subject, network) do nothing`,
    [v7(), organization, application, v7(), organization, application],
  )
  await db.raw(
    `with made as (
       select given.*, book.id as book_id from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bigint[], ?::timestamptz[])
         as given (entry, account, book, kind, amount, at)
       join ledger_books book on book.name = given.book and book.subject = ?),
     entries as (
       insert into ledger_entries (id, operation_id, organization, kind, occurred_at, recorded_at)
       select entry, sha256(convert_to(entry::text, 'UTF8')), ?, kind, at, at from made)
     insert into ledger_postings (entry, place, book, owner, amount, recorded_at)
     select made.entry, side.place, made.book_id, side.owner, side.amount, made.at from made
     cross join lateral (values (0, account, made.amount), (1, book_id, -made.amount)) as side (place, owner, amount)`,
    [
      entries.map(() => v7()),
      entries.map(({ account }) => account),
      entries.map(({ book }) => book),
      entries.map(({ kind }) => kind),
      entries.map(({ amount }) => amount),
      entries.map(({ at }) => at),
      application,
      organization,
    ] as Knex.RawBinding[],
  )
}

/** Has the days of an organization counted again from a day on. */
export async function countDaysAgain(db: Knex, organization: string, day: string): Promise<void> {
  await db.raw(
    `insert into metric_organizations (organization, time_zone, again_from)
     values (?, (select time_zone from organizations where id = ?), ?)
     on conflict (organization) do update set again_from = excluded.again_from`,
    [organization, organization, day],
  )
}

/** Whether all days of an organization are counted. */
export async function areDaysCounted(db: Knex, organization: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ is_counted: boolean }] }>(
    `select not exists (select from metric_organizations where organization = ? and again_from is not null)
       and not exists (select from organizations join metric_organizations m on m.organization = organizations.id
         where m.organization = ? and m.time_zone <> organizations.time_zone) as is_counted`,
    [organization, organization],
  )
  return rows[0].is_counted
}

/** Makes the end of the last fold a time that is still to come, as if the clock had gone back since. */
export async function moveFoldAhead(db: Knex): Promise<void> {
  await db.raw(`update metric_folds set folded_until = now() + interval '1 hour'`)
}

/** What the rows of the ledger and of the events sum up to, of all times: what the metrics must say of them. */
export interface RowSums {
  passportsCreated: number
  passportsPublished: number
  passportsMinted: number
  claims: number
  accountsCreated: number
  visits: number
  pointsMinted: string
  pointsBurnt: string
  pointsExpired: string
  orders: number
  activeAccounts: number
  passportsByStatus: Record<string, number>
}

/** Sums up the rows of an organization, without anything that is kept of them. */
export async function sumRows(db: Knex, organization: string): Promise<RowSums> {
  const { rows } = await db.raw<{ rows: [RowSums] }>(
    `with own as (
       select p.*, e.kind, k.name from ledger_postings p join ledger_entries e on e.id = p.entry
       join ledger_books k on k.id = p.book where k.organization = :organization and p.place = 0),
     told as (select subject || ' ' || type as what from events where organization = :organization)
     select
       (select count(*) from told where what = 'dppPassport create')::int as "passportsCreated",
       (select count(*) from told where what = 'dppPassport publish')::int as "passportsPublished",
       (select count(*) from told where what = 'dppPassport claim')::int as claims,
       (select count(*) from told where what = 'wallet create')::int as "accountsCreated",
       (select count(*) from passports where organization = :organization and minted_at is not null)::int as "passportsMinted",
       (select count(*) from own where name = 'visits' and kind = 'visit')::int as visits,
       (select count(*) from own where name = 'points' and kind = 'order')::int as orders,
       (select count(distinct owner) from own where kind <> 'expire')::int as "activeAccounts",
       (select coalesce(sum(amount), 0) from own where name = 'points' and amount > 0)::text as "pointsMinted",
       (select coalesce(-sum(amount), 0) from own where name = 'points' and amount < 0 and kind <> 'expire')::text as "pointsBurnt",
       (select coalesce(-sum(amount), 0) from own where name = 'points' and kind = 'expire')::text as "pointsExpired",
       (select coalesce(jsonb_object_agg(status, number), '{}') from (
          select status, count(*) as number from passports where organization = :organization group by 1) one) as "passportsByStatus"`,
    { organization },
  )
  return rows[0]
}
