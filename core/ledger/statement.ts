import type { Knex } from 'knex'

/**
 * SQL of what an owner has in the books of a name, and of what was posted there since a time: one row a book, with
 * `book`, `owner`, `amount`, `pending`, `settled`, and `added`, `taken` (not below zero) and `posted`, the number of
 * entries. Bindings: the time, the owner, the name.
 */
export const ownerTotalsSql = `select b.book, b.owner, b.amount, b.pending, b.settled, made.added, made.taken, made.posted
  from ledger_balances b
  join ledger_books k on k.id = b.book
  cross join lateral (
    select coalesce(sum(p.amount) filter (where p.amount > 0), 0) as added,
      coalesce(-sum(p.amount) filter (where p.amount < 0), 0) as taken, count(*)::int as posted
    from ledger_postings p where p.owner = b.owner and p.book = b.book and p.recorded_at >= ?) made
  where b.owner = ? and k.name = ?`

/**
 * SQL of the newest entries of an owner in a book since a time, with `balance`, what the owner had after each.
 * Bindings: the time, the number of entries. @param totals alias of a row of `ownerTotalsSql`
 */
export const createOwnerEntriesSql = (totals: string): string => `select p.entry, p.amount as points, e.kind,
    e.occurred_at, p.recorded_at,
    ${totals}.amount + ${totals}.pending - coalesce(sum(p.amount) over (
      order by p.recorded_at desc, p.entry desc rows between unbounded preceding and 1 preceding), 0) as balance
  from (
    select entry, amount, recorded_at from ledger_postings
    where owner = ${totals}.owner and book = ${totals}.book and recorded_at >= ?
    order by recorded_at desc, entry desc limit ?) p
  join ledger_entries e on e.id = p.entry`

/** What of an owner's lots becomes active, or expires, at a time. */
export interface DatedAmount {
  amount: bigint
  at: Date
}

export interface LotDates {
  /** What cannot be spent yet, the next first. */
  activating: DatedAmount[]
  /** What can be spent and expires within the days, the next first. */
  expiring: DatedAmount[]
}

const lotDatesSql = `select l.state, sum(l.remaining)::text as amount, case l.state when 'pending' then l.activates_at else l.expires_at end as at
  from ledger_lots l join ledger_books k on k.id = l.book
  where l.owner = ? and k.name = ? and l.remaining > 0
    and (l.state = 'pending' or l.state = 'active' and l.expires_at < now() + make_interval(days => ?))
  group by l.state, at order by at limit ?`

/**
 * Reads when the lots of an owner become active or expire, in the books of a name. Amounts of one instant are one.
 * @param options.days those that expire later are left out
 * @param options.limit the most instants that are read, the next first
 */
export async function readLotDates(
  db: Knex,
  owner: string,
  bookName: string,
  { days, limit }: { days: number; limit: number },
): Promise<LotDates> {
  const { rows } = await db.raw<{ rows: { state: 'pending' | 'active'; amount: string; at: Date }[] }>(lotDatesSql, [
    owner,
    bookName,
    days,
    limit,
  ])
  const select = (wanted: string) =>
    rows.filter(({ state }) => state === wanted).map(({ amount, at }) => ({ amount: BigInt(amount), at }))
  return { activating: select('pending'), expiring: select('active') }
}

/**
 * The SQL of what owners were credited and debited in books of these names in a time, of all organizations:
 * `organization`, `subject` (what the book is about), `book` (its name), `kind`, `owner`, `amount` (signed), `at`.
 * Bindings: from, until, the names.
 */
export const recordedPostingsSql = `
  select k.organization, k.subject, k.name as book, e.kind, p.owner, p.amount, p.recorded_at as at
  from ledger_postings p join ledger_books k on k.id = p.book join ledger_entries e on e.id = p.entry
  where p.recorded_at >= ?::timestamptz and p.recorded_at < ?::timestamptz and p.owner <> p.book and k.name = any(?::text[])`

/**
 * Creates the SQL of whether an owner had a posting before a time, in books of these names. Bindings: the time, the names.
 * @param owner the SQL of its id
 */
export const createPostedBeforeSql = (owner: string): string => `
  exists (select from ledger_postings p join ledger_books k on k.id = p.book
    where p.owner = ${owner} and p.recorded_at < ?::timestamptz and k.name = any(?::text[]))`

/**
 * Creates the SQL of the time (`at`) of an owner's newest posting before another time, in the books about a subject; null
 * if there is none. Bindings: kinds of entries that are passed over, the names of the books. @param row alias of a row
 * with `subject`, `owner` and `at`
 */
export const createEarlierPostingSql = (row: string): string => `
  select max(newest.at) as at from ledger_books k cross join lateral (
    select p.recorded_at as at from ledger_postings p
    where p.owner = ${row}.owner and p.book = k.id and p.recorded_at < ${row}.at
      and (select e.kind from ledger_entries e where e.id = p.entry) <> all(?::text[])
    order by p.recorded_at desc, p.entry desc limit 1) newest
  where k.subject = ${row}.subject and k.name = any(?::text[])`

/**
 * Creates the SQL of whether an owner had an entry of a kind that occurred after a time, and at most some days later, in
 * books of a name. Bindings: the name, the kind, the time, the time again, the days. @param owner the SQL of its id
 */
export const createPostedBetweenSql = (owner: string): string => `
  exists (select from ledger_postings p join ledger_books k on k.id = p.book join ledger_entries e on e.id = p.entry
    where p.owner = ${owner} and k.name = ? and e.kind = ? and e.occurred_at > ?::timestamptz
      and e.occurred_at <= ?::timestamptz + make_interval(days => ?))`
