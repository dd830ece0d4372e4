import type { Knex } from 'knex'
import { newId } from '../database/model.ts'
import { createBalanceSql, parseBalance, type BalanceRow } from './balances.ts'
import type { Book, PostingResult } from './types.ts'

/** An entry that a statement posts, with everything that one of the statements needs. */
export interface Item {
  entry: string
  operation: string
  kind: string
  book: Book
  owner: string
  /** Above zero. */
  amount: bigint
  occurredAt: Date
  activatesAt?: Date | null
  expiresAt?: Date | null
  /** The entry that is taken back. */
  reverses?: string | null
  /** The lot that expires. */
  lot?: string | null
}

const toText = (time: Date | null | undefined) => time?.toISOString() ?? null

/** The columns of the items of a statement with their types, and what they get. */
const itemColumns: Record<string, [type: string, getValue: (item: Item) => unknown]> = {
  entry: ['uuid', ({ entry }) => entry],
  operation: ['text', ({ operation }) => operation],
  organization: ['uuid', ({ book }) => book.organization],
  kind: ['text', ({ kind }) => kind],
  occurred_at: ['timestamptz', ({ occurredAt }) => toText(occurredAt)],
  book: ['uuid', ({ book }) => book.id],
  has_lots: ['boolean', ({ book }) => book.hasLots],
  owner: ['uuid', ({ owner }) => owner],
  amount: ['bigint', ({ amount }) => String(amount)],
  activates_at: ['timestamptz', ({ activatesAt }) => toText(activatesAt)],
  expires_at: ['timestamptz', ({ expiresAt }) => toText(expiresAt)],
  reverses: ['uuid', ({ reverses }) => reverses ?? null],
  lot: ['uuid', ({ lot }) => lot ?? null],
}

/** The items of a statement, whose bindings come first. See `createItemBindings`. */
export const itemSql = `select made.*, decode(substr(operation, 3), 'hex') as operation_id
  from unnest(${Object.values(itemColumns)
    .map(([type]) => `?::${type}[]`)
    .join(', ')}) as made (${Object.keys(itemColumns).join(', ')})`

export const createItemBindings = (items: readonly Item[]): Knex.RawBinding[] =>
  Object.values(itemColumns).map(([, getValue]) => items.map(getValue)) as Knex.RawBinding[]

/** Orders items as balances are locked: by book and owner. */
export const sortItems = <T extends { book: { id: string }; owner: string }>(items: readonly T[]): T[] =>
  items.toSorted((one, other) => compare(one.book.id, other.book.id) || compare(one.owner, other.owner))

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))

export const createItems = (items: readonly Omit<Item, 'entry'>[]): Item[] =>
  sortItems(items).map((item) => ({ ...item, entry: newId() }))

export const insertEntriesSql = `insert into ledger_entries (id, operation_id, organization, kind, reverses, occurred_at)
  select entry, operation_id, organization, kind, reverses, occurred_at from item order by book, owner`

/** Inserts the entries of `made`, each with the posting of its owner and that of the other side of its book. */
export const createPostingSql = (
  sign: '' | '-',
) => `insert into ledger_postings (entry, place, book, owner, amount, recorded_at)
  select made.id, side.place, item.book, side.owner, side.amount, made.recorded_at
  from made join item on item.entry = made.id
  cross join lateral (values (0, item.owner, ${sign}item.amount), (1, item.book, -(${sign}item.amount)))
    as side (place, owner, amount)`

export interface PostedRow extends BalanceRow {
  entry: string
  operation: string
  owner: string
  posted: string
}

/** The entries of a statement with the balances of their owners, which are `kept`. */
export const selectPostedSql = (sign: '' | '-') => `select item.entry, item.operation, item.owner,
  (${sign}item.amount)::text as posted, ${createBalanceSql('kept')}
  from kept join item on item.book = kept.book and item.owner = kept.owner`

export type KnownResult = Exclude<PostingResult, { status: 'refused' }>

export const parsePosted = (row: PostedRow, status: 'posted' | 'known'): KnownResult => ({
  status,
  entry: row.entry,
  operation: row.operation,
  owner: row.owner,
  amount: BigInt(row.posted),
  balance: parseBalance(row),
})

export const collectResults = (rows: readonly PostedRow[], status: 'posted' | 'known'): Map<string, PostingResult> =>
  new Map(rows.map((row) => [row.operation, parsePosted(row, status)]))

const knownSql = `select e.id as entry, '0x' || encode(e.operation_id, 'hex') as operation, p.owner, p.amount::text as posted,
    ${createBalanceSql('b')}
  from ledger_entries e join ledger_postings p on p.entry = e.id and p.place = 0
  join ledger_balances b on b.book = p.book and b.owner = p.owner
  where e.operation_id in (select decode(substr(operation, 3), 'hex') from unnest(?::text[]) as given (operation))`

/** Adds those of the operations without a result that were posted before. */
export async function addKnown(
  trx: Knex,
  results: Map<string, PostingResult>,
  items: readonly { operation: string }[],
): Promise<void> {
  const operations = items.map(({ operation }) => operation).filter((operation) => !results.has(operation))
  if (operations.length === 0) return
  const { rows } = await trx.raw<{ rows: PostedRow[] }>(knownSql, [operations])
  for (const [operation, result] of collectResults(rows, 'known')) results.set(operation, result)
}

export function listResults(
  results: ReadonlyMap<string, PostingResult>,
  items: readonly { operation: string }[],
): PostingResult[] {
  return items.map(({ operation }) => {
    const result = results.get(operation)
    if (!result) throw new Error(`The operation ${operation} was neither posted nor known`)
    return result
  })
}

export function assertAmounts(items: readonly { amount: bigint }[]): void {
  const wrong = items.find(({ amount }) => amount <= 0n)
  if (wrong) throw new RangeError(`An entry of ${wrong.amount} was to be posted; amounts are above zero`)
}
