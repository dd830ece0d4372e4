import type { Knex } from 'knex'

/** What remains to an owner of what was credited within the last days. */
export interface Remainder {
  owner: string
  remaining: bigint
  /** The highest of the levels that it reaches; null: none of them. */
  level: bigint | null
  /** When it falls below that level if nothing is posted any more. */
  fallsAt: Date | null
}

export interface RemainderRequest {
  book: string
  owners: readonly string[]
  /** Days of 24 hours before now in which an entry must have happened. */
  days: number
  /** Above zero. */
  levels: readonly bigint[]
}

/**
 * What was credited last is taken first. So what remains of the credits after an entry is the largest sum of the newest
 * entries, and it can only fall while time passes. Entries count by when they happened. An entry is recorded at most a day
 * before it happened by its clock, which lets the index leave out the older ones.
 */
const remaindersSql = `with own as (
    select p.owner, e.occurred_at, sum(p.amount) over (
      partition by p.owner order by e.occurred_at desc, e.id desc) as suffix
    from ledger_postings p join ledger_entries e on e.id = p.entry
    where p.owner = any(:owners::uuid[]) and p.book = :book
      and p.recorded_at >= now() - make_interval(hours => :hours) - interval '1 day'
      and e.occurred_at >= now() - make_interval(hours => :hours)),
  reached as (
    select owner, greatest(max(suffix), 0) as remaining,
      (select max(level) from unnest(:levels::bigint[]) as given (level) where level <= max(own.suffix)) as level
    from own group by owner)
  select owner, remaining::text, level::text, (
      select max(own.occurred_at) from own where own.owner = reached.owner and own.suffix >= reached.level
    ) + make_interval(hours => :hours) as falls_at
  from reached`

/** Reads what remains to owners of what was credited within the last days. An owner of whom nothing does is left out. */
export async function readRemainders(
  db: Knex,
  { book, owners, days, levels }: RemainderRequest,
): Promise<Map<string, Remainder>> {
  const { rows } = await db.raw<{
    rows: { owner: string; remaining: string; level: string | null; falls_at: Date | null }[]
  }>(remaindersSql, { book, owners: owners as string[], hours: days * 24, levels: levels.map(String) })
  return new Map(
    rows.map(({ owner, remaining, level, falls_at: fallsAt }) => [
      owner,
      { owner, remaining: BigInt(remaining), level: level === null ? null : BigInt(level), fallsAt },
    ]),
  )
}
