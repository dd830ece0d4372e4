import type { Knex } from 'knex'
import type { Block, Outcome, Signed, Unit } from './family.ts'
import { changed, columnOf, rowsOf, type Whose } from './rows.ts'

export type TransactionKind = Unit['kind']

/** A signed attempt. An `empty` one only uses the nonce up, because the node does not take the content. */
export type Attempt = Signed & { empty: boolean }

/** A transaction on its way: one nonce, one content, one or more signed attempts. */
export interface Flight {
  id: string
  nonce: number
  kind: TransactionKind
  application: string | null
  contract: string | null
  status: 'signed' | 'submitted' | 'included'
  /** One of the jobs that it works for; null: a deployment or a filled nonce. */
  job: string | null
  /** Whose operations it has; null: several organizations', or none. */
  organization: string | null
  /** Oldest first. Those that are not empty differ in fees only. */
  attempts: Attempt[]
  block: Block | null
  /** When this process sent it first and last, in milliseconds of `performance.now()`, with the head then; null: not yet. */
  sent: { first: number; last: number; head: number } | null
  /** How often the node refused its newest attempt, and when last, in milliseconds; null: it did not. */
  refused: { times: number; last: number } | null
  /** Its outcome could not be handed over: not again before this time, in milliseconds. */
  retry: number
  /** Since when its nonce is used without a receipt, with the head then. */
  gone: { since: number; head: number } | null
}

interface FlightRow extends Omit<Flight, 'attempts' | 'block' | 'nonce' | 'sent' | 'gone' | 'retry' | 'refused'> {
  nonce: number | string
  block_number: number | string | null
  block_hash: string | null
  hashes: string[]
  raws: Buffer[]
  empties: boolean[]
}

/** The transactions under way with the lowest nonces. */
export async function flying(db: Knex, { network, address }: Whose, limit: number): Promise<Flight[]> {
  const rows = await rowsOf<FlightRow>(db, `
    select t.id, t.nonce, t.kind, t.application, t.contract, t.status, t.block_number, t.block_hash, a.hashes, a.raws,
      a.empties,
      o.job, case when t.application is not null then o.organization end as organization
    from chain_transactions t cross join lateral (
      select array_agg(hash order by created_at) as hashes, array_agg(raw order by created_at) as raws,
        array_agg(empty order by created_at) as empties
      from chain_attempts where transaction = t.id
    ) a
    left join lateral (select job, organization from chain_operations where transaction = t.id limit 1) o on true
    where t.network = ? and t.sender = ? and t.status in ('signed', 'submitted', 'included')
    order by t.nonce limit ?`, [network, address, limit])
  return rows.map(({ nonce, block_number, block_hash, hashes, raws, empties, ...row }) => ({
    ...row,
    nonce: Number(nonce),
    attempts: hashes.map((hash, index) => ({ hash, raw: raws[index] ?? Buffer.of(), empty: empties[index] === true })),
    block: block_number === null || block_hash === null ? null : { number: Number(block_number), hash: block_hash },
    sent: null,
    gone: null,
    refused: null,
    retry: 0,
  }))
}

/** Stores signed transactions with their first attempts. @throws Error when a nonce has one already */
export async function storeTransactions(trx: Knex, whose: Whose, flights: readonly Flight[]): Promise<void> {
  const { network, address } = whose
  const ids = columnOf(flights, 'id')
  const first = flights.map(({ attempts }) => attempts[0] ?? { hash: '', raw: new Uint8Array() })
  await changed(trx, `
    with stored as (
      insert into chain_transactions (id, network, sender, nonce, kind, application, contract, status)
      select id, ?, ?, nonce, kind, application, contract, 'signed'
      from unnest(?::uuid[], ?::bigint[], ?::text[], ?::uuid[], ?::text[]) u (id, nonce, kind, application, contract)
    )
    insert into chain_attempts (transaction, hash, raw) select * from unnest(?::uuid[], ?::text[], ?::bytea[])`, [
    network, address, ids, columnOf(flights, 'nonce'), columnOf(flights, 'kind'), columnOf(flights, 'application'),
    columnOf(flights, 'contract'), ids, columnOf(first, 'hash'), first.map(({ raw }) => Buffer.from(raw)),
  ])
}

export async function storeAttempt(trx: Knex, transaction: string, { hash, raw, empty }: Attempt): Promise<void> {
  const values = [hash, transaction, Buffer.from(raw), empty]
  await changed(trx, 'insert into chain_attempts (hash, transaction, raw, empty) values (?, ?, ?, ?)', values)
}

/** How many batches a contract has, those under way included. */
export async function countBatches(db: Knex, { network }: Whose, contract: string): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(db, `select count(*)::float8 as count from chain_transactions
    where network = ? and contract = ? and kind = 'mintBatch' and status in ('signed', 'submitted', 'included', 'final')`,
  [network, contract])
  return row?.count ?? 0
}

/** The node has them. */
export async function markSubmitted(db: Knex, ids: readonly string[]): Promise<void> {
  await changed(db, `
    update chain_transactions
    set status = 'submitted', hash = null, block_number = null, block_hash = null, block_at = null
    where id = any(?::uuid[]) and status in ('signed', 'submitted', 'included')`, [ids])
}

export interface Mined { id: string; receipt: Outcome }

/** Records in which blocks transactions are, and that this is so for good when the status is `final` or `reverted`. */
export async function recordMined(
  trx: Knex, status: 'included' | 'final' | 'reverted', mined: readonly Mined[],
): Promise<void> {
  const receipts = mined.map(({ receipt }) => receipt)
  await changed(trx, `
    update chain_transactions t set status = ?, hash = u.hash, block_number = u.number, block_hash = u.block,
      block_at = u.at, batch = u.batch, moved_from = u.moved_from
    from unnest(?::uuid[], ?::text[], ?::bigint[], ?::text[], ?::timestamptz[], ?::int[], ?::text[])
      as u (id, hash, number, block, at, batch, moved_from)
    where t.id = u.id`, [
    status, columnOf(mined, 'id'), columnOf(receipts, 'hash'), receipts.map(({ block }) => block?.number ?? null),
    receipts.map(({ block }) => block?.hash ?? null), columnOf(receipts, 'at'), columnOf(receipts, 'batch'),
    columnOf(receipts, 'from'),
  ])
}

/** Its nonce was used by something else. */
export async function markLost(trx: Knex, id: string): Promise<void> {
  await changed(trx, `update chain_transactions set status = 'lost', block_number = null where id = ?`, [id])
}

/** Blocks that transactions were recorded in, newest first, below `before`. */
export async function recordedBlocks(
  db: Knex, { network, address }: Whose, before: number, limit: number,
): Promise<Block[]> {
  const rows = await rowsOf<{ number: number | string; hash: string }>(db, `
    select distinct block_number as number, block_hash as hash from chain_transactions
    where network = ? and sender = ? and block_number < ? order by block_number desc limit ?`,
  [network, address, before, limit])
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }))
}

/**
 * Sets back what was recorded above a block: it is to be sent again, the same bytes. What had reverted is given up:
 * its operations went on without it. Above block -1 it takes also what no block is known of.
 * @returns how many operations are not final any more
 */
export async function setBack(trx: Knex, { network, address }: Whose, above: number): Promise<number> {
  await changed(trx, `update chain_transactions set status = 'lost', block_number = null
    where network = ? and sender = ? and block_number > ? and status = 'reverted'`, [network, address, above])
  return changed(trx, `
    with back as (
      update chain_transactions
      set status = 'submitted', hash = null, block_number = null, block_hash = null, block_at = null
      where network = ? and sender = ? and coalesce(block_number, 0) > ? and status in ('included', 'final')
      returning id
    )
    update chain_operations o set status = 'sent' from back where o.transaction = back.id and o.status = 'final'`,
  [network, address, above])
}

/** Nonces from `from` up to and without `to` that no transaction has. */
export async function missingNonces(
  db: Knex, { network, address }: Whose, from: number, to: number,
): Promise<number[]> {
  const rows = await rowsOf<{ nonce: number }>(db, `
    select n::float8 as nonce from generate_series(?::bigint, ?::bigint) n where not exists (
      select from chain_transactions t where t.network = ? and t.sender = ? and t.nonce = n and t.status <> 'lost')
    order by n limit 100`, [from, to - 1, network, address])
  return rows.map(({ nonce }) => nonce)
}
