import type { Knex } from 'knex'
import { atSql, createAtBinding, createMissingBalances, lockBalances } from './balances.ts'
import {
  addKnown,
  assertAmounts,
  collectResults,
  createItemBindings,
  createItems,
  createPostingSql,
  insertEntriesSql,
  itemSql,
  listResults,
  selectPostedSql,
  sortItems,
  type Item,
  type KnownResult,
  type PostedRow,
} from './items.ts'
import { lotState } from './ledger.machine.ts'
import type { NewCredit, NewDebit, PostingResult } from './types.ts'

/**
 * One statement: the entries whose operations are new, the balances of their owners, which are locked by that, and, in
 * books with lots, a lot. The debt of the owner is paid first, unless the lot waits.
 */
const creditSql = `with given as (${itemSql}),
  item as (select *, has_lots and coalesce(activates_at > ${atSql}, false) as waits from given),
  made as (${insertEntriesSql} on conflict (operation_id) do nothing returning id, recorded_at),
  kept as (
    insert into ledger_balances as known (book, owner, amount, pending, next_due)
      select item.book, item.owner, case when waits then 0 else item.amount end,
        case when waits then item.amount else 0 end,
        case when waits then activates_at when has_lots then expires_at end
      from item join made on made.id = item.entry order by item.book, item.owner
    on conflict (book, owner) do update
      set amount = known.amount + excluded.amount, pending = known.pending + excluded.pending,
        debt = greatest(known.debt - excluded.amount, 0), next_due = least(known.next_due, excluded.next_due)
    returning new.*, coalesce(old.debt, 0) as old_debt),
  paid as (
    select item.*, made.recorded_at, case when waits then 0 else least(kept.old_debt, item.amount) end as paid
    from item join made on made.id = item.entry join kept on kept.book = item.book and kept.owner = item.owner
    where item.has_lots),
  lot as (
    insert into ledger_lots (id, book, owner, entry, amount, remaining, ${lotState.column}, activates_at, expires_at)
      select entry, book, owner, entry, amount, amount - paid,
        case when waits then ${lotState.target('createPending')} else ${lotState.target('create')} end,
        case when waits then activates_at else least(recorded_at, expires_at - interval '1 ms') end, expires_at
      from paid),
  draw as (insert into ledger_draws (entry, lot, amount) select entry, entry, paid from paid where paid > 0),
  posting as (${createPostingSql('')})
  ${selectPostedSql('')}`

/** The lots of which a debit takes: all that are active, those first that expire first. */
const activeLotsSql = `select l.*, item.entry as taker, item.amount as wanted, 1 as rank
  from item join ledger_lots l on l.owner = item.owner and l.book = item.book
  where item.has_lots and l.state = 'active' and l.remaining > 0`

/** The lots of which a reversal takes: that of the entry which is taken back, also while it waits, before all others. */
const ownLotsFirstSql = `select l.*, item.entry as taker, item.amount as wanted, 0 as rank
  from item join ledger_lots l on l.entry = item.reverses
  where item.has_lots and l.state in ('pending', 'active') and l.remaining > 0
  union all ${activeLotsSql} and l.entry <> item.reverses`

/**
 * Creates one statement, on balances that are locked: the lots that give what is debited, the entries, and the
 * balances. What the lots do not give becomes debt.
 */
const createDebitSql = (lotsSql: string) => `with item as (${itemSql}),
  spendable as (
    select id, taker, remaining, state, wanted, coalesce(sum(remaining) over (
      partition by book, owner order by rank, expires_at nulls last, id
      rows between unbounded preceding and 1 preceding), 0) as before
    from (${lotsSql}) lots),
  taken as (
    select id as lot, taker as entry, state, least(remaining, wanted - before)::bigint as amount
    from spendable where before < wanted),
  drawn as (update ledger_lots set remaining = remaining - taken.amount from taken where ledger_lots.id = taken.lot),
  draw as (insert into ledger_draws (entry, lot, amount) select entry, lot, amount from taken),
  made as (${insertEntriesSql} returning id, recorded_at),
  posting as (${createPostingSql('-')}),
  sums as (
    select item.entry, item.book, item.owner, item.amount, item.has_lots,
      coalesce(sum(taken.amount), 0)::bigint as given,
      coalesce(sum(taken.amount) filter (where taken.state = 'pending'), 0)::bigint as waiting
    from item left join taken on taken.entry = item.entry
    group by item.entry, item.book, item.owner, item.amount, item.has_lots),
  kept as (
    update ledger_balances known set amount = known.amount - (sums.amount - sums.waiting),
      pending = known.pending - sums.waiting,
      debt = known.debt + case when sums.has_lots then sums.amount - sums.given else 0 end
    from sums where known.book = sums.book and known.owner = sums.owner
    returning known.*)
  ${selectPostedSql('-')}`

const debitSql = createDebitSql(activeLotsSql)
const takeBackSql = createDebitSql(ownLotsFirstSql)

/**
 * Posts credits, at most one for each owner in a book. An operation that was posted before is `known` and changes
 * nothing, also when it is posted at this moment by somebody else.
 * @param options.at the time that counts as now; by default the start of the transaction
 * @returns one result an item, in their order
 */
export async function creditOwners(
  trx: Knex,
  credits: readonly NewCredit[],
  { at }: { at?: Date } = {},
): Promise<PostingResult[]> {
  if (credits.length === 0) return []
  assertAmounts(credits)
  const bindings = [...createItemBindings(createItems(credits)), createAtBinding(at)]
  const { rows } = await trx.raw<{ rows: PostedRow[] }>(creditSql, bindings)
  const results = collectResults(rows, 'posted')
  await addKnown(trx, results, credits)
  return listResults(results, credits)
}

/**
 * Posts debits, at most one for each owner in a book. A debit beyond what its owner has is refused, unless it may go
 * below zero; the others are posted. An operation that was posted before is `known` and changes nothing. The lots of
 * the owners that are due have to be worked off before, in the same transaction: see `activateDueLots`.
 * @param options.at the time that counts as now; by default the start of the transaction
 * @returns one result an item, in their order
 * @throws Error if a lot of an owner is due
 */
export async function debitOwners(
  trx: Knex,
  debits: readonly NewDebit[],
  { at }: { at?: Date } = {},
): Promise<PostingResult[]> {
  if (debits.length === 0) return []
  assertAmounts(debits)
  const items = sortItems(debits)
  await createMissingBalances(
    trx,
    items.filter((item) => item.mayGoBelowZero),
  )
  const balances = new Map((await lockBalances(trx, items, at)).map((row) => [`${row.book} ${row.owner}`, row]))
  const results = new Map<string, PostingResult>()
  await addKnown(trx, results, items)
  const unknown = items.filter(({ operation }) => !results.has(operation))
  for (const { operation, owner, book, amount, mayGoBelowZero } of unknown) {
    const balance = balances.get(`${book.id} ${owner}`)
    if (balance?.is_due) throw new Error(`Lots of ${owner} are due, and were not worked off before a debit`)
    const available = balance ? BigInt(balance.amount) - BigInt(balance.held) : 0n
    if (amount > available && !mayGoBelowZero)
      results.set(operation, { status: 'refused', operation, owner, available })
  }
  const accepted = unknown.filter(({ operation }) => !results.has(operation))
  if (accepted.length > 0) {
    const { rows } = await trx.raw<{ rows: PostedRow[] }>(debitSql, createItemBindings(createItems(accepted)))
    for (const [operation, result] of collectResults(rows, 'posted')) results.set(operation, result)
  }
  return listResults(results, debits)
}

/**
 * Takes back what entries credited, of balances that are locked: at most one item for each owner in a book. It comes out
 * of the lot of the entry, then of the others; what they do not have becomes debt.
 */
export const takeBack = (trx: Knex, items: readonly Item[]): Promise<KnownResult[]> =>
  postReversals(trx, takeBackSql, items)

/**
 * One statement, on balances that are locked: what debits took goes back. The debt of the owner is paid first; the rest
 * goes to the lots that the debit took of, those first that expire last, as if less had been taken. What the debit had
 * owed, and credits have paid since, gets a lot of its own.
 */
const giveBackSql = `with item as (${itemSql}),
  made as (${insertEntriesSql} returning id, recorded_at),
  posting as (${createPostingSql('')}),
  paid as (
    select item.*, item.amount - least(b.debt, item.amount) as rest
    from item join ledger_balances b on b.book = item.book and b.owner = item.owner where item.has_lots),
  drawn as (
    select paid.entry, paid.rest, d.lot, sum(d.amount) as amount
    from paid join ledger_entries e on e.id = paid.reverses or e.reverses = paid.reverses
    join ledger_draws d on d.entry = e.id
    group by paid.entry, paid.rest, d.lot having sum(d.amount) > 0),
  ordered as (
    select drawn.*, l.expires_at, coalesce(sum(drawn.amount) over (
      partition by drawn.entry order by l.expires_at desc nulls first, l.id desc
      rows between unbounded preceding and 1 preceding), 0) as before
    from drawn join ledger_lots l on l.id = drawn.lot),
  given as (
    select entry, lot, expires_at, least(amount, rest - before)::bigint as amount from ordered where before < rest),
  lot as (
    update ledger_lots set remaining = remaining + given.amount, returned_by = given.entry,
      ${lotState.setWherePossible('giveBack')}
    from given where ledger_lots.id = given.lot),
  draw as (insert into ledger_draws (entry, lot, amount) select entry, lot, -amount from given),
  sums as (select entry, sum(amount)::bigint as amount, min(expires_at) as expires_at from given group by entry),
  new_lot as (
    insert into ledger_lots (id, book, owner, entry, amount, remaining, ${lotState.column}, activates_at)
      select paid.entry, paid.book, paid.owner, paid.entry, paid.rest - coalesce(sums.amount, 0),
        paid.rest - coalesce(sums.amount, 0), ${lotState.target('create')}, made.recorded_at
      from paid join made on made.id = paid.entry left join sums on sums.entry = paid.entry
      where paid.rest > coalesce(sums.amount, 0)),
  kept as (
    update ledger_balances known set amount = known.amount + item.amount,
      debt = greatest(known.debt - item.amount, 0), next_due = least(known.next_due, sums.expires_at)
    from item left join sums on sums.entry = item.entry
    where known.book = item.book and known.owner = item.owner
    returning known.*)
  ${selectPostedSql('')}`

/** Gives back what entries debited, on balances that are locked: at most one item for each owner in a book. */
export const giveBack = (trx: Knex, items: readonly Item[]): Promise<KnownResult[]> =>
  postReversals(trx, giveBackSql, items)

async function postReversals(trx: Knex, sql: string, items: readonly Item[]): Promise<KnownResult[]> {
  const { rows } = await trx.raw<{ rows: PostedRow[] }>(sql, createItemBindings(items))
  const results = collectResults(rows, 'posted')
  return listResults(results, items) as KnownResult[]
}
