import type { Knex } from 'knex'
import { atSql, createAtBinding, createBalanceSql, lockBalances, parseBalance, type BalanceRow } from './balances.ts'
import { hashOperation } from './books.ts'
import { createItemBindings, createItems, createPostingSql, insertEntriesSql, itemSql } from './items.ts'
import { lotState } from './ledger.machine.ts'
import type { Book, BookOwner, ChangedBalance, ExpiredLot } from './types.ts'

/** The kind of the entries by which lots expire. */
export const expiryKind = 'expire'

const ownedSql = 'select * from unnest(?::uuid[], ?::uuid[]) as owned (owner, book)'
const createOwnedBindings = (owners: readonly BookOwner[]) =>
  [owners.map(({ owner }) => owner), owners.map(({ book }) => book.id)] as unknown as Knex.RawBinding[]

/** One statement, on balances that are locked: lots that wait and are due, of which debt is paid first, the oldest first. */
const activateSql = `with owned as (${ownedSql}),
  due as (
    select l.id, l.entry, l.book, l.owner, l.remaining, greatest(least(b.debt - coalesce(sum(l.remaining) over (
      partition by l.book, l.owner order by l.activates_at, l.id
      rows between unbounded preceding and 1 preceding), 0), l.remaining), 0)::bigint as paid
    from owned join ledger_balances b using (book, owner) join ledger_lots l using (book, owner)
    where l.state = 'pending' and l.activates_at <= ${atSql}),
  lot as (
    update ledger_lots set ${lotState.set('activate')}, remaining = ledger_lots.remaining - due.paid
    from due where ledger_lots.id = due.id),
  draw as (insert into ledger_draws (entry, lot, amount) select entry, id, paid from due where paid > 0),
  sums as (select book, owner, sum(remaining)::bigint as amount, sum(paid)::bigint as paid from due group by book, owner)
  update ledger_balances b set amount = b.amount + sums.amount, pending = b.pending - sums.amount,
    debt = b.debt - sums.paid
  from sums where b.book = sums.book and b.owner = sums.owner
  returning b.owner, ${createBalanceSql('b')}`

interface DueLotRow {
  lot: string
  book: string
  owner: string
  remaining: string
  returned_by: string | null
  expires_at: Date
}

const dueLotsSql = `select l.id as lot, l.book, l.owner, l.remaining::text, l.returned_by, l.expires_at
  from (${ownedSql}) owned join ledger_lots l using (book, owner)
  where l.state = 'active' and l.remaining > 0 and l.expires_at <= ${atSql}
  order by l.expires_at, l.id limit ?`

/** One statement, on balances that are locked: what is left of lots, which expire. */
const expireSql = `with item as (${itemSql}),
  made as (${insertEntriesSql} returning id, recorded_at),
  posting as (${createPostingSql('-')}),
  drawn as (update ledger_lots set remaining = 0, ${lotState.set('expire')} from item where ledger_lots.id = item.lot),
  draw as (insert into ledger_draws (entry, lot, amount) select entry, lot, amount from item),
  sums as (select book, owner, sum(amount)::bigint as amount from item group by book, owner),
  kept as (
    update ledger_balances b set amount = b.amount - sums.amount
    from sums where b.book = sums.book and b.owner = sums.owner returning b.*)
  select item.entry, item.operation, item.lot, item.owner, item.amount::text as taken, item.occurred_at,
    ${createBalanceSql('kept')}
  from item join kept on kept.book = item.book and kept.owner = item.owner order by item.occurred_at, item.lot`

/** Finds the next time at which something is due, after what was due has been worked off. */
const scheduleSql = `update ledger_balances b set next_due = least(
    (select min(l.activates_at) from ledger_lots l where l.owner = b.owner and l.book = b.book and l.state = 'pending'),
    (select min(l.expires_at) from ledger_lots l
      where l.owner = b.owner and l.book = b.book and l.state = 'active' and l.remaining > 0))
  from (${ownedSql}) owned where b.owner = owned.owner and b.book = owned.book`

interface DueOptions {
  /** The time that counts as now; by default the start of the transaction. */
  at?: Date
  /** The most lots that expire; those that are left are due still. */
  maxLots?: number
}

/**
 * Makes the lots active whose time has come, and pays the debt of their owners of them. Locks the balances first, in the
 * order of everybody. @returns what those owners have for whom something changed
 */
export async function activateDueLots(
  trx: Knex,
  owners: readonly BookOwner[],
  { at }: Pick<DueOptions, 'at'> = {},
): Promise<ChangedBalance[]> {
  const due = await lockDueOwners(trx, owners, at)
  if (due.length === 0) return []
  const activated = await activateLots(trx, due, at)
  await trx.raw(scheduleSql, createOwnedBindings(due))
  return activated
}

/**
 * Expires what is left of lots whose time is over, with one entry a lot that happened then; lots that wait and are due
 * become active before. A lot that got something back later expires again. Locks the balances first, in the order of
 * everybody.
 * @returns the owners for whom something changed, with what they have, and the lots that expired
 */
export async function expireDueLots(
  trx: Knex,
  owners: readonly BookOwner[],
  { at, maxLots }: DueOptions = {},
): Promise<{ changed: ChangedBalance[]; expired: ExpiredLot[] }> {
  const due = await lockDueOwners(trx, owners, at)
  if (due.length === 0) return { changed: [], expired: [] }
  const activated = await activateLots(trx, due, at)
  const expired = await expireLots(trx, due, { at, maxLots })
  await trx.raw(scheduleSql, createOwnedBindings(due))
  const last = new Map([...activated, ...expired].map(({ owner, balance }) => [owner, balance]))
  return { changed: [...last].map(([owner, balance]) => ({ owner, balance })), expired }
}

async function lockDueOwners(trx: Knex, owners: readonly BookOwner[], at?: Date): Promise<BookOwner[]> {
  if (owners.length === 0) return []
  const rows = await lockBalances(trx, owners, at)
  const books = new Map(owners.map(({ book }) => [book.id, book]))
  return rows.filter((row) => row.is_due).map(({ book, owner }) => ({ book: books.get(book)!, owner }))
}

async function activateLots(trx: Knex, due: readonly BookOwner[], at?: Date): Promise<ChangedBalance[]> {
  const bindings = [...createOwnedBindings(due), createAtBinding(at)]
  const { rows } = await trx.raw<{ rows: (BalanceRow & { owner: string })[] }>(activateSql, bindings)
  return rows.map((row) => ({ owner: row.owner, balance: parseBalance(row) }))
}

async function expireLots(
  trx: Knex,
  due: readonly BookOwner[],
  { at, maxLots }: { at: Date | undefined; maxLots: number | undefined },
): Promise<ExpiredLot[]> {
  const { rows: lots } = await trx.raw<{ rows: DueLotRow[] }>(dueLotsSql, [
    ...createOwnedBindings(due),
    createAtBinding(at),
    (maxLots ?? null) as Knex.RawBinding,
  ])
  if (lots.length === 0) return []
  const books = new Map<string, Book>(due.map(({ book }) => [book.id, book]))
  const items = lots.map(({ lot, book, owner, remaining, returned_by: returnedBy, expires_at: expiresAt }) => ({
    operation: hashOperation(['expire', lot, ...(returnedBy === null ? [] : [returnedBy])]),
    kind: expiryKind,
    book: books.get(book)!,
    owner,
    amount: BigInt(remaining),
    occurredAt: expiresAt,
    lot,
  }))
  type Row = BalanceRow & {
    entry: string
    operation: string
    lot: string
    owner: string
    taken: string
    occurred_at: Date
  }
  const { rows } = await trx.raw<{ rows: Row[] }>(expireSql, createItemBindings(createItems(items)))
  return rows.map((row) => ({
    lot: row.lot,
    entry: row.entry,
    operation: row.operation,
    owner: row.owner,
    amount: BigInt(row.taken),
    expiresAt: row.occurred_at,
    balance: parseBalance(row),
  }))
}

const createDueOwnersSql = (state: 'pending' | 'active') => {
  const time = state === 'pending' ? 'activates_at' : 'expires_at'
  return `select due.owner, k.id, k.organization, k.name, k.subject, k.network, k.has_lots as "hasLots"
    from (
      select l.book, l.owner, l.${time} as at from ledger_lots l join ledger_books k on k.id = l.book and k.name = ?
      where l.state = '${state}' ${state === 'active' ? 'and l.remaining > 0' : ''} and l.${time} <= ${atSql}
        and l.owner <> all(?::uuid[])
      order by l.${time} limit ?) due
    join ledger_books k on k.id = due.book group by due.owner, k.id order by min(due.at)`
}

/**
 * Lists owners in the books of a name who have lots that are due, those first that have waited the longest.
 * @param options.due `activation` or `expiry`
 * @param options.except owners who are left out
 * @param options.maxLots the most lots that are looked at
 */
export async function listDueOwners(
  db: Knex,
  name: string,
  { due, at, except, maxLots }: { due: 'activation' | 'expiry'; at?: Date; except: readonly string[]; maxLots: number },
): Promise<BookOwner[]> {
  const sql = createDueOwnersSql(due === 'activation' ? 'pending' : 'active')
  const bindings = [name, createAtBinding(at), [...except], maxLots] as Knex.RawBinding[]
  const { rows } = await db.raw<{ rows: (Book & { owner: string })[] }>(sql, bindings)
  return rows.map(({ owner, ...book }) => ({ owner, book }))
}

/** Lists those of the owners who may have lots that are due. */
export async function findDueOwners(db: Knex, owners: readonly BookOwner[], at?: Date): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { owner: string }[] }>(
    `select b.owner from (${ownedSql}) owned join ledger_balances b using (book, owner) where b.next_due <= ${atSql}`,
    [...createOwnedBindings(owners), createAtBinding(at)],
  )
  return new Set(rows.map(({ owner }) => owner))
}

/** What lots that are due change of a balance `b`, which the sweep has not worked off yet. Its binding is the time. */
const overdueSql = `select coalesce(sum(l.remaining) filter (where l.waits), 0) as activated,
    coalesce(sum(l.remaining - l.paid) filter (where l.is_over), 0) as expired, coalesce(sum(l.paid), 0) as paid
  from (
    select l.remaining, l.state = 'pending' as waits, coalesce(l.expires_at <= now.at, false) as is_over,
      case when l.state = 'pending' then greatest(least(b.debt - coalesce(sum(l.remaining) over (
        partition by l.state order by l.activates_at, l.id
        rows between unbounded preceding and 1 preceding), 0), l.remaining), 0) else 0 end as paid
    from (select ${atSql} as at) now cross join ledger_lots l
    where l.owner = b.owner and l.book = b.book and ((l.state = 'pending' and l.activates_at <= now.at)
      or (l.state = 'active' and l.remaining > 0 and l.expires_at <= now.at))) l`

/**
 * Reads what owners have in the books of a name, for those owners of whom lots are due: as if these had been worked off.
 * What the balance of everybody else says is right.
 */
export async function readDueBalances(
  db: Knex,
  name: string,
  owners: readonly string[],
  { at }: { at?: Date } = {},
): Promise<ChangedBalance[]> {
  if (owners.length === 0) return []
  const { rows } = await db.raw<{ rows: (BalanceRow & { owner: string })[] }>(
    `select b.owner, (b.amount + due.activated - due.expired)::text as amount, (b.pending - due.activated)::text as pending,
       b.held::text, (b.debt - due.paid)::text as debt, b.settled::text
     from ledger_balances b join ledger_books k on k.id = b.book
     cross join lateral (${overdueSql}) due
     where k.name = ? and b.owner = any(?::uuid[]) and b.next_due <= ${atSql}`,
    [createAtBinding(at), name, owners as string[], createAtBinding(at)],
  )
  return rows.map((row) => ({ owner: row.owner, balance: parseBalance(row) }))
}
