import type { Knex } from 'knex'

/** A number that is kept beside the entries and differs from what the entries say, or an entry that is wrong by itself. */
export interface LedgerDifference {
  /**
   * `postings`: of an entry, which do not sum to zero. `balance`, `spendable`, `pending`, `held`, `settled`: members of a
   * balance. `lot`: what remains of the owner's lots. `due`: the time of the next lot that is due, which may be too early
   * and never too late. `reversal`: entries of which more was taken back than they gave.
   */
  what: 'postings' | 'balance' | 'spendable' | 'pending' | 'held' | 'settled' | 'lot' | 'due' | 'reversal'
  /** The entry, or the book and owner. */
  entry?: string
  book?: string
  owner?: string
  expected: string
  found: string
}

export interface LedgerCheck {
  /** The number of entries that were replayed. */
  checked: number
  differences: LedgerDifference[]
}

/** Number of entries, and of owners, that one statement compares. */
const chunkSize = 5_000
const lowestId = '00000000-0000-0000-0000-000000000000'

interface EntryChunk {
  last: string | null
  count: number
  wrong: { entry: string; sum: string | null; postings: number }[]
}

const entriesSql = `with chunk as (
    select id, organization from ledger_entries where id > ? order by id limit ${chunkSize}),
  own as (select id from chunk where ?::uuid is null or organization = ?::uuid),
  summed as (
    select own.id, count(p.entry)::int as postings, sum(p.amount) as sum
    from own left join ledger_postings p on p.entry = own.id group by own.id)
  select (select id from chunk order by id desc limit 1) as last, (select count(*) from own)::int as count, coalesce((
    select jsonb_agg(jsonb_build_object('entry', id, 'sum', sum::text, 'postings', postings) order by id)
    from summed where postings = 0 or sum <> 0), '[]') as wrong`

interface OwnerRow {
  owner: string
  book: string
  is_own: boolean
  has_lots: boolean | null
  posted: string
  final: string
  active: string
  waiting: string
  wrong_lots: number
  earliest: Date | null
  is_late: boolean
  open: string
  reversed_twice: number
  amount: string
  pending: string
  held: string
  next_due: Date | null
  debt: string
  settled: string
}

/** The next owners in the order of their ids and books, with what their entries and lots say and what their balances are. */
const ownersSql = `with chunk as (
    select owner, book from (
      (select owner, book from ledger_postings where (owner, book) > (?::uuid, ?::uuid) and owner <> book
        group by owner, book order by owner, book limit ${chunkSize})
      union
      (select owner, book from ledger_balances where (owner, book) > (?::uuid, ?::uuid)
        order by owner, book limit ${chunkSize})) found
    order by owner, book limit ${chunkSize})
  select c.owner, c.book, ?::uuid is null or k.organization = ?::uuid as is_own, k.has_lots,
    p.posted::text, p.final::text, l.active::text, l.waiting::text, l.wrong_lots,
    l.earliest, l.earliest is not null and coalesce(b.next_due > l.earliest, true) as is_late, b.next_due, h.open::text,
    p.reversed_twice, coalesce(b.amount, 0)::text as amount, coalesce(b.pending, 0)::text as pending,
    coalesce(b.held, 0)::text as held, coalesce(b.debt, 0)::text as debt,
    coalesce(b.settled, 0)::text as settled
  from chunk c
  left join ledger_books k on k.id = c.book
  left join ledger_balances b on b.owner = c.owner and b.book = c.book
  cross join lateral (
    select coalesce(sum(p.amount), 0) as posted, coalesce(sum(p.amount) filter (where s.status = 'final'), 0) as final,
      count(*) filter (where (
        select sum(r.amount) from ledger_entries t join ledger_postings r on r.entry = t.id and r.owner = p.owner
        where t.reverses = p.entry) not between least(-p.amount, 0) and greatest(-p.amount, 0))::int as reversed_twice
    from ledger_postings p left join ledger_settlements s on s.entry = p.entry
    where p.owner = c.owner and p.book = c.book) p
  cross join lateral (
    select coalesce(sum(l.remaining) filter (where l.state = 'active'), 0) as active,
      coalesce(sum(l.remaining) filter (where l.state = 'pending'), 0) as waiting,
      least(min(l.activates_at) filter (where l.state = 'pending'),
        min(l.expires_at) filter (where l.state = 'active' and l.remaining > 0)) as earliest,
      count(*) filter (where l.state = 'expired' and l.remaining > 0 or l.remaining <> l.amount - coalesce(
        (select sum(d.amount) from ledger_draws d where d.lot = l.id), 0))::int as wrong_lots
    from ledger_postings made join ledger_lots l on l.entry = made.entry
    where made.owner = c.owner and made.book = c.book) l
  cross join lateral (
    select coalesce(sum(h.amount), 0) as open from ledger_holds h
    where h.owner = c.owner and h.book = c.book and h.status = 'open') h
  order by c.owner, c.book`

/**
 * Replays the entries and compares what they come to with the balances and the lots. Each statement sees one state of
 * the database, so entries that are posted meanwhile make no difference.
 * @param options.organization only the entries of this organization
 */
export async function verifyLedger(db: Knex, { organization }: { organization?: string } = {}): Promise<LedgerCheck> {
  const entries = await verifyEntries(db, organization ?? null)
  return { ...entries, differences: [...entries.differences, ...(await verifyOwners(db, organization ?? null))] }
}

async function verifyEntries(db: Knex, organization: string | null): Promise<LedgerCheck> {
  const differences: LedgerDifference[] = []
  let checked = 0
  for (let after: string | null = lowestId; after !== null;) {
    const chunk: EntryChunk = await readEntryChunk(db, after, organization)
    checked += chunk.count
    for (const { entry, sum, postings } of chunk.wrong)
      differences.push({ what: 'postings', entry, expected: '0', found: postings === 0 ? 'none' : String(sum) })
    after = chunk.last
  }
  return { checked, differences }
}

async function readEntryChunk(db: Knex, after: string, organization: string | null): Promise<EntryChunk> {
  const { rows } = await db.raw<{ rows: [EntryChunk] }>(entriesSql, [after, organization, organization] as string[])
  return rows[0]
}

async function verifyOwners(db: Knex, organization: string | null): Promise<LedgerDifference[]> {
  const differences: LedgerDifference[] = []
  for (let [owner, book] = [lowestId, lowestId]; ;) {
    const bindings = [owner, book, owner, book, organization, organization] as string[]
    const rows: OwnerRow[] = await readOwners(db, bindings)
    for (const row of rows) if (row.is_own) differences.push(...compareOwner(row))
    const last = rows.at(-1)
    if (!last) return differences
    ;({ owner, book } = last)
  }
}

/**
 * Reads by the indexes only. Statistics lag behind what was posted in the last minutes, and with those of an empty table
 * the whole table would be read for each owner.
 */
const byIndexesSql = 'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off'

const readOwners = (db: Knex, bindings: readonly string[]): Promise<OwnerRow[]> =>
  db.transaction(
    async (trx) => {
      await trx.raw(byIndexesSql)
      return (await trx.raw<{ rows: OwnerRow[] }>(ownersSql, bindings)).rows
    },
    { readOnly: true },
  )

function compareOwner(row: OwnerRow): LedgerDifference[] {
  const { owner, book } = row
  const [amount, pending, debt] = [BigInt(row.amount), BigInt(row.pending), BigInt(row.debt)]
  const numbers: [LedgerDifference['what'], expected: bigint, found: bigint][] = [
    ['balance', BigInt(row.posted), amount + pending],
    ['held', BigInt(row.open), BigInt(row.held)],
    ['settled', BigInt(row.final), BigInt(row.settled)],
    ['reversal', 0n, BigInt(row.reversed_twice)],
  ]
  if (row.has_lots) {
    numbers.push(
      ['spendable', BigInt(row.active) - debt, amount],
      ['pending', BigInt(row.waiting), pending],
      ['lot', 0n, BigInt(row.wrong_lots)],
    )
  }
  const differences: LedgerDifference[] = numbers
    .filter(([, expected, found]) => expected !== found)
    .map(([what, expected, found]) => ({ what, owner, book, expected: String(expected), found: String(found) }))
  if (row.has_lots && row.is_late)
    differences.push({ what: 'due', owner, book, expected: formatTime(row.earliest), found: formatTime(row.next_due) })
  return differences
}

const formatTime = (time: Date | null) => time?.toISOString() ?? 'never'
