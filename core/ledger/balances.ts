import type { Knex } from 'knex'
import type { Book, OwnerBalance } from './types.ts'

/** SQL of the time that counts as now: its binding, or the start of the transaction. */
export const atSql = 'coalesce(?::timestamptz, now())'
export const createAtBinding = (at: Date | undefined) => (at?.toISOString() ?? null) as Knex.RawBinding

/** The SQL of a balance as text, because a BIGINT is otherwise read as a number. @param row alias of the balance */
export const createBalanceSql = (row: string): string =>
  ['amount', 'pending', 'held', 'debt', 'settled'].map((name) => `${row}.${name}::text as ${name}`).join(', ')

export type BalanceRow = Record<keyof OwnerBalance, string>

export const parseBalance = (row: BalanceRow): OwnerBalance => ({
  amount: BigInt(row.amount),
  pending: BigInt(row.pending),
  held: BigInt(row.held),
  debt: BigInt(row.debt),
  settled: BigInt(row.settled),
})

const emptyBalance: OwnerBalance = { amount: 0n, pending: 0n, held: 0n, debt: 0n, settled: 0n }

/** Reads what owners have in a book. An owner of whom the book knows nothing has nothing. */
export async function readBalances(
  db: Knex,
  book: string,
  owners: readonly string[],
): Promise<Map<string, OwnerBalance>> {
  const { rows } = await db.raw<{ rows: (BalanceRow & { owner: string })[] }>(
    `select b.owner, ${createBalanceSql('b')} from ledger_balances b where b.owner = any(?::uuid[]) and b.book = ?`,
    [owners as string[], book],
  )
  const known = new Map(rows.map((row) => [row.owner, parseBalance(row)]))
  return new Map(owners.map((owner) => [owner, known.get(owner) ?? emptyBalance]))
}

/** A balance that is locked. */
export type LockedRow = BalanceRow & { book: string; owner: string; is_due: boolean }

/**
 * Locks the balances of these owners until the end of the transaction, in the order in which everybody locks them. An
 * owner without a balance is not among the result. @param at the time at which a lot may be due
 */
export async function lockBalances(
  trx: Knex,
  owners: readonly { book: { id: string }; owner: string }[],
  at?: Date,
): Promise<LockedRow[]> {
  const { rows } = await trx.raw<{ rows: LockedRow[] }>(
    `select b.book, b.owner, ${createBalanceSql('b')}, coalesce(b.next_due <= ${atSql}, false) as is_due
     from ledger_balances b
     where (b.owner, b.book) in (select * from unnest(?::uuid[], ?::uuid[])) order by b.book, b.owner for update`,
    [createAtBinding(at), owners.map(({ owner }) => owner), owners.map(({ book }) => book.id)],
  )
  return rows
}

/**
 * Locks what an owner has in a book until the end of the transaction, and reads it. An owner of whom the book knows nothing
 * gets a balance of nothing, so that there is something to lock.
 */
export async function lockOwnBalance(trx: Knex, book: Pick<Book, 'id'>, owner: string): Promise<OwnerBalance> {
  const [row] = await lockOwnBalances(trx, [{ book, owner }])
  if (!row) throw new Error(`The balance of ${owner} is gone`)
  return parseBalance(row)
}

/**
 * Locks what owners have in several books until the end of the transaction, in the order in which everybody locks them. For
 * who posts in one book after another: each posting by itself would take its lock behind those that the one before took.
 */
export async function lockOwnBalances(
  trx: Knex,
  owners: readonly { book: { id: string }; owner: string }[],
): Promise<LockedRow[]> {
  await createMissingBalances(trx, owners)
  return lockBalances(trx, owners)
}

/** Creates balances of nothing for owners who have none, so that they can be locked. */
export async function createMissingBalances(
  trx: Knex,
  owners: readonly { book: { id: string }; owner: string }[],
): Promise<void> {
  if (owners.length === 0) return
  await trx.raw(
    `insert into ledger_balances (book, owner) select book, owner from unnest(?::uuid[], ?::uuid[]) as given (book, owner)
     order by book, owner on conflict (book, owner) do nothing`,
    [owners.map(({ book }) => book.id), owners.map(({ owner }) => owner)],
  )
}
