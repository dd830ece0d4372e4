import type { Knex } from 'knex'
import type { EntryOutcome } from './types.ts'

/** How an outcome changed what an owner has on the chain. `settled` is what the owner has there now. */
export interface SettledChange {
  entry: string
  owner: string
  /** Zero if the outcome was known. */
  change: bigint
  settled: bigint
}

interface ChangeRow {
  entry: string
  owner: string
  change: string
  settled: string
}

/** The settlements of entries that are final or failed, and whether they were final before. */
const storeSql = `insert into ledger_settlements as known (entry, status, contract, transaction_hash, reason, settled_at)
    select * from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])
    on conflict (entry) do update set status = excluded.status, contract = excluded.contract,
      transaction_hash = excluded.transaction_hash, reason = excluded.reason, settled_at = excluded.settled_at
    returning new.entry, coalesce(old.status = 'final', false) as was_final, new.status = 'final' as is_final`

const removeSql = `delete from ledger_settlements where entry = any(?::uuid[])
    returning entry, status = 'final' as was_final, false as is_final`

/** Adds to the balances what became final, and takes away what is no longer. */
const createApplySql = (changed: string) => `with changed as (${changed}),
  moved as (
    select p.entry, p.book, p.owner, p.amount * (is_final::int - was_final::int) as change
    from changed join ledger_postings p on p.entry = changed.entry and p.owner <> p.book),
  sums as (select book, owner, sum(change)::bigint as change from moved group by book, owner),
  kept as (
    update ledger_balances b set settled = b.settled + sums.change
    from sums where b.book = sums.book and b.owner = sums.owner returning b.*)
  select moved.entry, moved.owner, moved.change::text, kept.settled::text
  from moved join kept on kept.book = moved.book and kept.owner = moved.owner`

/**
 * Stores what a chain made of entries. What is final counts once, however often it is reported; an entry that is undone
 * counts no more until it is final again. Locks the balances of the owners first, in the order of everybody.
 */
export async function settleEntries(trx: Knex, outcomes: readonly EntryOutcome[]): Promise<SettledChange[]> {
  if (outcomes.length === 0) return []
  await trx.raw(
    `select from ledger_balances b where (b.owner, b.book) in (
       select p.owner, p.book from ledger_postings p where p.entry = any(?::uuid[]))
     order by b.book, b.owner for update`,
    [outcomes.map(({ entry }) => entry)],
  )
  const undone = outcomes.filter(({ status }) => status === 'undone').map(({ entry }) => entry)
  const stored = outcomes.filter(({ status }) => status !== 'undone')
  return [
    ...(undone.length > 0 ? await applyChanges(trx, removeSql, [undone]) : []),
    ...(stored.length > 0 ? await applyChanges(trx, storeSql, createStoreBindings(stored)) : []),
  ]
}

const createStoreBindings = (outcomes: readonly EntryOutcome[]) =>
  [
    outcomes.map(({ entry }) => entry),
    outcomes.map(({ status }) => status),
    outcomes.map(({ contract }) => contract),
    outcomes.map(({ transactionHash }) => transactionHash),
    outcomes.map(({ reason }) => reason),
    outcomes.map(({ at }) => at?.toISOString() ?? null),
  ] as Knex.RawBinding[]

async function applyChanges(
  trx: Knex,
  changed: string,
  bindings: readonly Knex.RawBinding[] | readonly (readonly string[])[],
): Promise<SettledChange[]> {
  const { rows } = await trx.raw<{ rows: ChangeRow[] }>(createApplySql(changed), bindings as Knex.RawBinding[])
  return rows.map(({ entry, owner, change, settled }) => ({
    entry,
    owner,
    change: BigInt(change),
    settled: BigInt(settled),
  }))
}
