import type { Knex } from 'knex'
import { v7 } from 'uuid'

export const appendOnlyTables = ['ledger_entries', 'ledger_postings', 'ledger_draws'] as const
export type AppendOnlyTable = (typeof appendOnlyTables)[number]

const changes = {
  update: (table: AppendOnlyTable) => `update ${table} set entry = entry`,
  updateEntries: () => 'update ledger_entries set kind = kind',
  delete: (table: AppendOnlyTable) => `delete from ${table}`,
  empty: (table: AppendOnlyTable) => `truncate ${table}`,
}

/** Tries to change rows that are never changed. @throws what the database says */
export async function changeRows(
  db: Knex,
  table: AppendOnlyTable,
  change: 'update' | 'delete' | 'empty',
): Promise<void> {
  const create = change === 'update' && table === 'ledger_entries' ? changes.updateEntries : changes[change]
  await db.raw(create(table))
}

/** Gives the role of this connection back the rights to change the table, so that only its triggers refuse it. */
export async function grantChanges(trx: Knex, table: AppendOnlyTable): Promise<void> {
  await trx.raw(`grant update, delete on ${table} to current_user`)
}

/** Inserts postings of these amounts in the statements that are given, as entries of one owner. */
export async function insertPostings(trx: Knex, ...statements: readonly (readonly string[])[]): Promise<void> {
  const [entry, book, owner] = [v7(), v7(), v7()]
  let place = 0
  for (const amounts of statements) {
    const from = place
    place += amounts.length
    await trx.raw(
      `insert into ledger_postings (entry, place, book, owner, amount, recorded_at)
       select ?, ? + at - 1, ?, ?, amount::bigint, now()
       from unnest(?::text[]) with ordinality as given (amount, at)`,
      [entry, from, book, owner, [...amounts]] as Knex.RawBinding[],
    )
  }
}

/** The number of entries of these operations. */
export async function countEntries(db: Knex, operations: readonly string[]): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::int from ledger_entries
     where operation_id in (select decode(substr(operation, 3), 'hex') from unnest(?::text[]) as given (operation))`,
    [operations as string[]],
  )
  return rows[0].count
}

/** The most entries of these operations that one transaction inserted. */
export async function countSharedTransaction(db: Knex, operations: readonly string[]): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ most: number }] }>(
    `select max(shared.count)::int as most from (
       select count(*) from ledger_entries
       where operation_id in (select decode(substr(operation, 3), 'hex') from unnest(?::text[]) as given (operation))
       group by ledger_entries.xmin) shared`,
    [operations as string[]],
  )
  return rows[0].most
}

/** The lots of a book by owner, the oldest first, as texts such as `active 5`. */
export async function listLots(db: Knex, book: string): Promise<Map<string, string[]>> {
  const { rows } = await db.raw<{ rows: { owner: string; lots: string[] }[] }>(
    `select owner, array_agg(state || ' ' || remaining order by id) as lots from ledger_lots where book = ? group by owner`,
    [book],
  )
  return new Map(rows.map(({ owner, lots }) => [owner, lots]))
}

/** Adds to what is kept of an owner, as only a fault of the platform could. */
export async function spoilBalance(
  db: Knex,
  owner: string,
  column: 'amount' | 'settled' | 'pending' | 'held',
  by: number,
): Promise<void> {
  await db('ledger_balances').where({ owner }).increment(column, by)
}

/** Takes from the lots of an owner without an entry. */
export async function spoilLots(db: Knex, owner: string, by: number): Promise<void> {
  await db('ledger_lots').where({ owner }).decrement('remaining', by)
}

/** Forgets when the next lot of an owner is due, so that nobody would work it off. */
export async function spoilDue(db: Knex, owner: string): Promise<void> {
  await db('ledger_balances').where({ owner }).update({ next_due: null })
}

/** Ends the holds of an owner without giving back what they hold. */
export async function spoilHolds(db: Knex, owner: string): Promise<void> {
  await db('ledger_holds').where({ owner }).update({ status: 'released' })
}

/** Adds an entry that takes back more of an entry than it gave, as only a fault of the platform could. */
export async function spoilReversal(db: Knex, entry: string, amount: number): Promise<void> {
  await db.transaction(async (trx) => {
    const id = v7()
    await trx.raw(
      `insert into ledger_entries (id, operation_id, organization, kind, reverses, occurred_at)
       select ?, sha256(convert_to(?, 'UTF8')), organization, 'reverse', id, occurred_at from ledger_entries where id = ?`,
      [id, id, entry],
    )
    await trx.raw(
      `insert into ledger_postings (entry, place, book, owner, amount, recorded_at)
       select ?, place, book, owner, case when place = 0 then -?::bigint else ?::bigint end, now()
       from ledger_postings where entry = ?`,
      [id, String(amount), String(amount), entry],
    )
  })
}
