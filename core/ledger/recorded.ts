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
