import type { Knex } from 'knex'
import { createOwnerEntriesSql, ownerTotalsSql } from '../../../ledger/index.ts'
import { pointsBookName, readDuePoints, selectEntryOrdersSql } from '../posting/index.ts'

/** An entry of a statement. Points are decimal text. */
export interface StatementEntry {
  id: string
  kind: string
  /** Below zero: taken. */
  points: string
  /** What the account had after it, with what was pending. */
  balance: string
  occurredAt: Date
  recordedAt: Date
  reason: string | null
  reference: string | null
  status: string | null
}

/** What an account got and gave since a time, and what it has. Points are decimal text. */
export interface Statement {
  since: Date
  /** What it had then, with what was pending. */
  opening: string
  /** What was added since, and what was taken; neither is below zero. */
  added: string
  taken: string
  /** What it has now, with what is pending: opening + added - taken. */
  closing: string
  /** What of it cannot be spent yet. */
  pending: string
  /** What is final on the chain. */
  settled: string
  /** Number of entries since then. */
  count: number
  /** The newest of them, the newest first. */
  entries: StatementEntry[]
}

interface StatementRow {
  amount: string
  pending: string
  settled: string
  added: string
  taken: string
  posted: number
  entry: string | null
  kind: string
  points: string
  balance: string
  occurred_at: Date
  recorded_at: Date
  reason: string | null
  reference: string | null
  status: string | null
}

const statementSql = `select totals.amount::text, totals.pending::text, totals.settled::text, totals.added::text,
    totals.taken::text, totals.posted, own.entry, own.kind, own.points::text, own.balance::text, own.occurred_at,
    own.recorded_at, ordered.reason, ordered.reference, ordered.status
  from (${ownerTotalsSql}) totals
  left join lateral (${createOwnerEntriesSql('totals')}) own on true
  left join lateral (${selectEntryOrdersSql('own.entry')}) ordered on true
  order by own.recorded_at desc, own.entry desc`

/**
 * Reads the statement of an account in one statement of SQL, and what expired since the sweep looked. The caller has
 * checked that it may see the account.
 * @param options.since the beginning, such as 12 months ago
 * @param options.limit the most entries that are listed; the sums are of all of them
 */
export async function readStatement(
  db: Knex,
  account: string,
  { since, limit }: { since: Date; limit: number },
): Promise<Statement> {
  const from = since.toISOString()
  const { rows } = await db.raw<{ rows: StatementRow[] }>(statementSql, [from, account, pointsBookName, from, limit])
  const [first] = rows
  if (!first) return { since, ...emptyStatement, entries: [] }
  const { settled, added, posted: count } = first
  const kept = { amount: BigInt(first.amount), pending: BigInt(first.pending) }
  const now = (await readDuePoints(db, [account])).get(account) ?? kept
  const closing = now.amount + now.pending
  // What has expired and has no entry yet is taken already.
  const taken = BigInt(first.taken) + kept.amount + kept.pending - closing
  return {
    since,
    opening: String(closing - BigInt(added) + taken),
    added,
    taken: String(taken),
    closing: String(closing),
    pending: String(now.pending),
    settled,
    count,
    entries: rows.flatMap((row) => (row.entry === null ? [] : [presentEntry({ ...row, entry: row.entry })])),
  }
}

const emptyStatement = { opening: '0', added: '0', taken: '0', closing: '0', pending: '0', settled: '0', count: 0 }

const presentEntry = (row: StatementRow & { entry: string }): StatementEntry => ({
  id: row.entry,
  kind: row.kind,
  points: row.points,
  balance: row.balance,
  occurredAt: row.occurred_at,
  recordedAt: row.recorded_at,
  reason: row.reason,
  reference: row.reference,
  status: row.status,
})
