import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { orderStatus } from './orders.machine.ts'

export const orderKinds = ['mint', 'burn', 'order', 'welcome', 'assignment', 'adjust', 'expire', 'reverse'] as const
export type OrderKind = (typeof orderKinds)[number]

/** An item of an order of a shop. `unitPrice` is a decimal text. */
export interface OrderItem {
  sku?: string
  name: string
  quantity: number
  unitPrice: string
}

/** The rule by which an order earned its points, as it was then. */
export interface EarningRule {
  /** Points that one unit of currency earns; decimal text. */
  ratio: string
  source: 'tier' | 'application'
  tier: string | null
  currency: string | null
}

/** What an order may say about where its points come from. */
export interface OrderDetails {
  reference?: string | null
  reason?: string | null
  /** Net total of an order of a shop; decimal text. */
  amount?: string | null
  currency?: string | null
  items?: readonly OrderItem[]
  rule?: EarningRule | null
  pointOfSale?: string | null
  /** The identifier that another system gave it. */
  externalId?: string | null
  /** The order that it takes back, in whole or in part. */
  reverses?: string | null
}

export interface NewOrder extends OrderDetails {
  organization: string
  application: string
  account: string
  kind: OrderKind
  /** Signed. */
  points: bigint
  operation: string
  entry: string
  job: string
  /** Whether a chain gets it. */
  hasChain: boolean
}

export interface OrderRow {
  id: string
  account: string
  reference: string | null
  kind: string
  points: bigint
  operation: string
  job: string
}

/** The columns of a new order with their types, and what they get. */
const orderValues: Record<string, [type: string, getValue: (order: NewOrder) => unknown]> = {
  id: ['uuid', () => newId()],
  organization: ['uuid', ({ organization }) => organization],
  application: ['uuid', ({ application }) => application],
  account: ['uuid', ({ account }) => account],
  kind: ['text', ({ kind }) => kind],
  points: ['text', ({ points }) => String(points)],
  amount: ['text', ({ amount }) => amount ?? null],
  currency: ['text', ({ currency }) => currency ?? null],
  reference: ['text', ({ reference }) => reference ?? null],
  reason: ['text', ({ reason }) => reason ?? null],
  items: ['text', ({ items }) => JSON.stringify(items ?? [])],
  rule: ['text', ({ rule }) => (rule ? JSON.stringify(rule) : null)],
  operation: ['text', ({ operation }) => operation],
  entry: ['uuid', ({ entry }) => entry],
  reverses: ['uuid', ({ reverses }) => reverses ?? null],
  point_of_sale: ['uuid', ({ pointOfSale }) => pointOfSale ?? null],
  external_id: ['text', ({ externalId }) => externalId ?? null],
  job: ['uuid', ({ job }) => job],
  has_chain: ['boolean', ({ hasChain }) => hasChain],
}

const insertOrdersSql = `insert into loyalty_orders (id, organization, application, account, kind, points, amount, currency,
    reference, reason, items, rule, operation_id, entry, reverses, point_of_sale, external_id, job, ${orderStatus.column})
  select id, organization, application, account, kind, points::bigint, amount::numeric, currency, reference, reason,
    items::jsonb, rule::jsonb, decode(substr(operation, 3), 'hex'), entry, reverses, point_of_sale, external_id, job,
    case when has_chain then ${orderStatus.target('create')} else ${orderStatus.target('createSettled')} end
  from unnest(${Object.values(orderValues)
    .map(([type]) => `?::${type}[]`)
    .join(', ')}) as made (${Object.keys(orderValues).join(', ')})
  on conflict (account, reference) where reference is not null do nothing
  returning '0x' || encode(operation_id, 'hex') as operation`

/**
 * Inserts orders. @returns the operations of those that were inserted: an account that has the reference already gets no
 * second order with it
 */
export async function insertOrders(trx: Knex, orders: readonly NewOrder[]): Promise<Set<string>> {
  if (orders.length === 0) return new Set()
  const bindings = Object.values(orderValues).map(([, getValue]) => orders.map(getValue))
  const { rows } = await trx.raw<{ rows: { operation: string }[] }>(insertOrdersSql, bindings as Knex.RawBinding[])
  return new Set(rows.map(({ operation }) => operation))
}

const orderRowSql = `select id, account, reference, kind, points::text, '0x' || encode(operation_id, 'hex') as operation, job
  from loyalty_orders`

const parseOrderRow = (row: Omit<OrderRow, 'points'> & { points: string }): OrderRow => ({
  ...row,
  points: BigInt(row.points),
})

/** Finds the orders of accounts that have these references. */
export async function findOrdersByReference(
  db: Knex,
  references: readonly { account: string; reference: string }[],
): Promise<OrderRow[]> {
  if (references.length === 0) return []
  const { rows } = await db.raw<{ rows: (Omit<OrderRow, 'points'> & { points: string })[] }>(
    `${orderRowSql} where (account, reference) in (select * from unnest(?::uuid[], ?::text[]))`,
    [references.map(({ account }) => account), references.map(({ reference }) => reference)],
  )
  return rows.map(parseOrderRow)
}

/** Finds orders by their operations. */
export async function findOrdersByOperation(db: Knex, operations: readonly string[]): Promise<OrderRow[]> {
  if (operations.length === 0) return []
  const { rows } = await db.raw<{ rows: (Omit<OrderRow, 'points'> & { points: string })[] }>(
    `${orderRowSql} where operation_id in (
       select decode(substr(operation, 3), 'hex') from unnest(?::text[]) as given (operation))`,
    [operations as string[]],
  )
  return rows.map(parseOrderRow)
}

/** An order whose operation has an outcome. */
export interface SettlingOrder {
  id: string
  entry: string
  operation: string
  job: string
}

/** Reads the orders of operations. An operation that no order has is left out. */
export async function readOrders(trx: Knex, operations: readonly string[]): Promise<SettlingOrder[]> {
  const { rows } = await trx.raw<{ rows: SettlingOrder[] }>(
    `select id, entry, '0x' || encode(operation_id, 'hex') as operation, job from loyalty_orders
     where operation_id in (select decode(substr(operation, 3), 'hex') from unnest(?::text[]) as given (operation))`,
    [operations as string[]],
  )
  return rows
}

/** An order that is to be taken back, or was posted by an expiry. */
export interface ReversibleOrder {
  id: string
  organization: string
  account: string
  kind: OrderKind
  entry: string
}

/** Reads orders by their ids, or by their entries. One that does not exist is left out. */
export async function readReversibleOrders(
  trx: Knex,
  { ids = [], entries = [] }: { ids?: readonly string[]; entries?: readonly string[] },
): Promise<ReversibleOrder[]> {
  const { rows } = await trx.raw<{ rows: ReversibleOrder[] }>(
    `select id, organization, account, kind, entry from loyalty_orders where id = any(?::uuid[]) or entry = any(?::uuid[])`,
    [ids as string[], entries as string[]],
  )
  return rows
}

/** Marks orders as taken back whole, locked in the order of their ids. One that failed stays failed. */
export async function markReversed(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await trx.raw(
    `with locked as (select id from loyalty_orders where id = any(?::uuid[]) order by id for update)
     update loyalty_orders set ${orderStatus.setWherePossible('reverse')}, updated_at = now()
     from locked where loyalty_orders.id = locked.id`,
    [ids as string[]],
  )
}

/** A move of an order by what the chain made of it. */
export interface OrderMove {
  id: string
  move: 'settle' | 'fail' | 'undo'
  contract: string | null
  transactionHash: string | null
}

/** Moves orders, locked in the order of their ids. An order that has moved already only gets the new facts. */
export async function moveOrders(trx: Knex, moves: readonly OrderMove[]): Promise<void> {
  for (const name of ['settle', 'fail', 'undo'] as const) {
    const own = moves.filter(({ move }) => move === name)
    if (own.length === 0) continue
    await trx.raw(
      `with moved as (select * from unnest(?::uuid[], ?::text[], ?::text[]) as made (id, contract, transaction_hash)),
       locked as (select o.id from loyalty_orders o where o.id in (select id from moved) order by o.id for update)
       update loyalty_orders set ${orderStatus.setWherePossible(name)}, contract = moved.contract,
         transaction_hash = moved.transaction_hash, updated_at = now()
       from moved join locked using (id) where loyalty_orders.id = moved.id`,
      [
        own.map(({ id }) => id),
        own.map(({ contract }) => contract),
        own.map(({ transactionHash }) => transactionHash),
      ] as Knex.RawBinding[],
    )
  }
}

/** How many orders a job has, and how many of them are done. One whose points were all taken back is done. */
export interface OrderCounts {
  total: number
  settled: number
  failed: number
}

export async function countOrders(db: Knex, job: string): Promise<OrderCounts> {
  const { rows } = await db.raw<{ rows: [OrderCounts] }>(
    `select count(*)::int as total, (count(*) filter (where status in ('settled', 'reversed')))::int as settled,
       (count(*) filter (where status = 'failed'))::int as failed
     from loyalty_orders where job = ?`,
    [job],
  )
  return rows[0]
}

/** Returns those of the jobs that have no pending order. */
export async function listDoneJobs(trx: Knex, jobs: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { job: string }[] }>(
    `select job from unnest(?::uuid[]) as given (job)
     where not exists (select from loyalty_orders o where o.job = given.job and o.status = 'pending') order by job`,
    [jobs as string[]],
  )
  return rows.map(({ job }) => job)
}

/** SQL of what the order of an entry says about it. @param entry SQL of the entry's id */
export const selectEntryOrdersSql = (entry: string): string =>
  `select o.reason, coalesce(o.reference, o.external_id) as reference, o.status from loyalty_orders o where o.entry = ${entry}`

/** Returns those of the accounts that have an order on its way to the chain. */
export async function listMovingAccounts(db: Knex, accounts: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { account: string }[] }>(
    `select account from unnest(?::uuid[]) as given (account) where exists (
       select from loyalty_orders o where o.account = given.account and o.contract is null
         and o.status in ('pending', 'reversed'))`,
    [accounts as string[]],
  )
  return new Set(rows.map(({ account }) => account))
}
