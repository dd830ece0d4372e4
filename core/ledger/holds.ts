import type { Knex } from 'knex'
import { newId } from '../database/model.ts'
import { atSql, createAtBinding, createBalanceSql, lockBalances, parseBalance, type BalanceRow } from './balances.ts'
import { debitOwners } from './entries.ts'
import { addKnown, assertAmounts, type KnownResult } from './items.ts'
import { holdStatus } from './ledger.machine.ts'
import type { Book, HoldResult, NewHold, OwnerBalance, PostingResult } from './types.ts'

/** A hold that was released, had expired or was committed by another operation, before it was to be committed. */
export class HoldEndedError extends Error {
  override name = 'HoldEndedError'
}

interface HoldRow {
  id: string
  owner: string
  amount: string
  status: 'open' | 'committed' | 'released'
  is_over: boolean
}

const findHoldSql = `select id, owner, amount::text, status, coalesce(expires_at <= ${atSql}, false) as is_over
  from ledger_holds where operation_id = decode(substr(?, 3), 'hex') and book = ? for update`

async function findHold(trx: Knex, book: string, operation: string, at?: Date): Promise<HoldRow | undefined> {
  const { rows } = await trx.raw<{ rows: HoldRow[] }>(findHoldSql, [createAtBinding(at), operation, book])
  return rows[0]
}

/**
 * Keeps an amount of an owner from being spent, in the caller's transaction. A hold that was made before is `known` and
 * changes nothing. Lots of the owner that are due have to be worked off before. A hold does not keep a lot from expiring.
 * @param options.at the time that counts as now; by default the start of the transaction
 * @throws Error if a lot of the owner is due
 */
export async function reserveAmount(
  trx: Knex,
  { operation, book, owner, amount, expiresAt }: NewHold,
  { at }: { at?: Date } = {},
): Promise<HoldResult> {
  assertAmounts([{ amount }])
  const [balance] = await lockBalances(trx, [{ book, owner }], at)
  const known = await findHold(trx, book.id, operation, at)
  if (known && balance)
    return { status: 'known', operation, amount: BigInt(known.amount), balance: parseBalance(balance) }
  if (balance?.is_due) throw new Error(`Lots of ${owner} are due, and were not worked off before a hold`)
  const available = balance ? BigInt(balance.amount) - BigInt(balance.held) : 0n
  if (amount > available) return { status: 'refused', operation, available }
  await trx.raw(
    `insert into ledger_holds (id, operation_id, book, owner, amount, expires_at, ${holdStatus.column})
     values (?, decode(substr(?, 3), 'hex'), ?, ?, ?, ?, ${holdStatus.target('create')})`,
    [newId(), operation, book.id, owner, String(amount), createAtBinding(expiresAt)],
  )
  return { status: 'held', operation, amount, balance: await changeHeld(trx, { book: book.id, owner }, amount) }
}

async function changeHeld(trx: Knex, of: { book: string; owner: string }, by: bigint): Promise<OwnerBalance> {
  const { rows } = await trx.raw<{ rows: [BalanceRow] }>(
    `update ledger_balances b set held = b.held + ? where b.book = ? and b.owner = ? returning ${createBalanceSql('b')}`,
    [String(by), of.book, of.owner],
  )
  return parseBalance(rows[0])
}

/** What a commit of a hold takes. */
export interface HoldCommit {
  /** The operation of the hold. */
  hold: string
  /** Identifies the entry for ever. */
  operation: string
  kind: string
  book: Book
  owner: string
  occurredAt: Date
  /** What is taken; all that is held, by default. The rest is released. */
  amount?: bigint
}

/**
 * Ends a hold and takes what it held, by an entry. It is taken even if the owner has less by now, because a reversal or
 * an expiry came between; what is missing becomes debt. A hold that is committed already is `known`. Lots of the owner
 * that are due have to be worked off before.
 * @throws HoldEndedError if the hold was released, is over, or was committed by another operation
 * @throws RangeError for more than is held; TypeError for a hold that does not exist
 */
export async function commitHold(
  trx: Knex,
  { hold, ...entry }: HoldCommit,
  { at }: { at?: Date } = {},
): Promise<KnownResult> {
  const { book, owner } = entry
  await lockBalances(trx, [{ book, owner }], at)
  const found = await findHold(trx, book.id, hold, at)
  if (found?.owner !== owner) throw new TypeError(`The owner ${owner} has no hold ${hold}`)
  const known = new Map<string, PostingResult>()
  await addKnown(trx, known, [entry])
  const posted = known.get(entry.operation)
  if (posted) return posted as KnownResult
  if (found.status !== 'open' || found.is_over) throw new HoldEndedError(`The hold ${hold} has ended`)
  const held = BigInt(found.amount)
  const amount = entry.amount ?? held
  if (amount > held) throw new RangeError(`The hold ${hold} has ${held}, fewer than ${amount}`)
  await changeHeld(trx, { book: book.id, owner }, -held)
  const [result] = await debitOwners(trx, [{ ...entry, amount, mayGoBelowZero: true }], at ? { at } : {})
  if (!result || result.status === 'refused') throw new Error(`The hold ${hold} was refused`)
  await endHold(trx, found.id, { move: 'commit', entry: result.entry })
  return result
}

async function endHold(
  trx: Knex,
  id: string,
  { move, entry }: { move: 'commit' | 'release'; entry: string | null },
): Promise<void> {
  await trx.raw(`update ledger_holds set ${holdStatus.set(move)}, entry = ?, ended_at = now() where id = ?`, [
    entry,
    id,
  ] as string[])
}

/**
 * Ends a hold, so that what it held can be spent again. One that has ended stays as it is.
 * @returns whether it was released now
 * @throws TypeError for a hold that does not exist
 */
export async function releaseHold(
  trx: Knex,
  { hold, book, owner }: Pick<HoldCommit, 'hold' | 'book' | 'owner'>,
): Promise<boolean> {
  await lockBalances(trx, [{ book, owner }])
  const found = await findHold(trx, book.id, hold)
  if (found?.owner !== owner) throw new TypeError(`The owner ${owner} has no hold ${hold}`)
  if (found.status !== 'open') return false
  await endHold(trx, found.id, { move: 'release', entry: null })
  await changeHeld(trx, { book: book.id, owner }, -BigInt(found.amount))
  return true
}

const expiredHoldsSql = `select id, book, owner from ledger_holds
  where status = 'open' and expires_at <= ${atSql} order by expires_at limit ?`

const releaseSql = `with ended as (
    update ledger_holds h set ${holdStatus.set('release')}, ended_at = now()
    where h.id = any(?::uuid[]) and h.status = 'open' returning h.book, h.owner, h.amount),
  sums as (select book, owner, sum(amount)::bigint as amount, count(*)::int as holds from ended group by book, owner)
  update ledger_balances b set held = b.held - sums.amount from sums where b.book = sums.book and b.owner = sums.owner
  returning sums.holds`

/**
 * Releases holds whose time is over, those first that ended first.
 * @param options.maxHolds the most that are released
 * @returns how many were released
 */
export async function releaseExpiredHolds(
  trx: Knex,
  { at, maxHolds }: { at?: Date; maxHolds: number },
): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string; book: string; owner: string }[] }>(expiredHoldsSql, [
    createAtBinding(at),
    maxHolds,
  ])
  if (rows.length === 0) return 0
  await lockBalances(
    trx,
    rows.map(({ book, owner }) => ({ book: { id: book }, owner })),
  )
  const { rows: released } = await trx.raw<{ rows: { holds: number }[] }>(releaseSql, [rows.map(({ id }) => id)])
  return released.reduce((sum, { holds }) => sum + holds, 0)
}
