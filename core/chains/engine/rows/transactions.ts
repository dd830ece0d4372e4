import type { Knex } from 'knex'
import type { Block, TransactionOutcome } from '../../family.ts'
import { placeColumn } from '../../places.ts'
import type { Attempt, InFlightTransaction } from '../../sequence.ts'
import { isPointsTransaction, isTokenBatch } from '../../acts/conditions.ts'
import type { SenderAddress } from '../../places.ts'
import { executeStatement, getColumn, queryRows } from './rows.ts'

interface InFlightTransactionRow extends Omit<
  InFlightTransaction,
  'attempts' | 'block' | 'place' | 'sent' | 'retry' | 'refused'
> {
  place: number | string
  block_number: number | string | null
  block_hash: string | null
  hashes: string[]
  raws: Buffer[]
  empties: boolean[]
}

/** Lists the transactions in flight with the lowest places. */
export async function listInFlightTransactions(
  db: Knex,
  { network, address }: SenderAddress,
  limit: number,
): Promise<InFlightTransaction[]> {
  const rows = await queryRows<InFlightTransactionRow>(
    db,
    `
    select t.id, t.${placeColumn} as place, t.kind, t.application, t.contract, t.status, t.block_number, t.block_hash, a.hashes, a.raws,
      a.empties,
      o.job, case when t.application is not null then o.organization end as organization
    from chain_transactions t cross join lateral (
      select array_agg(hash order by created_at) as hashes, array_agg(raw order by created_at) as raws,
        array_agg(empty order by created_at) as empties
      from chain_attempts where transaction = t.id
    ) a
    left join lateral (select job, organization from chain_operations where transaction = t.id limit 1) o on true
    where t.network = ? and t.sender = ? and t.status in ('signed', 'submitted', 'included')
    order by t.${placeColumn} limit ?`,
    [network, address, limit],
  )
  return rows.map(({ place, block_number, block_hash, hashes, raws, empties, ...row }) => ({
    ...row,
    place: Number(place),
    attempts: hashes.map((hash, index) => ({ hash, raw: raws[index] ?? Buffer.of(), empty: empties[index] === true })),
    block: block_number === null || block_hash === null ? null : { number: Number(block_number), hash: block_hash },
    sent: null,
    refused: null,
    retry: 0,
  }))
}

/** Inserts signed transactions with their first attempts. @throws Error if a place already has a transaction */
export async function insertTransactions(
  trx: Knex,
  sender: SenderAddress,
  flights: readonly InFlightTransaction[],
): Promise<void> {
  const { network, address } = sender
  const ids = getColumn(flights, 'id')
  const firstAttempts = flights.map(({ attempts }) => attempts[0] ?? { hash: '', raw: new Uint8Array() })
  await executeStatement(
    trx,
    `
    with stored as (
      insert into chain_transactions (id, network, sender, ${placeColumn}, kind, application, contract, status)
      select id, ?, ?, place, kind, application, contract, 'signed'
      from unnest(?::uuid[], ?::bigint[], ?::text[], ?::uuid[], ?::text[]) u (id, place, kind, application, contract)
    )
    insert into chain_attempts (transaction, hash, raw) select * from unnest(?::uuid[], ?::text[], ?::bytea[])`,
    [
      network,
      address,
      ids,
      getColumn(flights, 'place'),
      getColumn(flights, 'kind'),
      getColumn(flights, 'application'),
      getColumn(flights, 'contract'),
      ids,
      getColumn(firstAttempts, 'hash'),
      firstAttempts.map(({ raw }) => Buffer.from(raw)),
    ],
  )
}

export async function insertAttempt(trx: Knex, transaction: string, { hash, raw, empty }: Attempt): Promise<void> {
  const values = [hash, transaction, Buffer.from(raw), empty]
  await executeStatement(trx, 'insert into chain_attempts (hash, transaction, raw, empty) values (?, ?, ?, ?)', values)
}

/** Counts the batches of a contract, including those in flight. */
export async function countBatches(db: Knex, { network }: SenderAddress, contract: string): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    `select count(*)::float8 as count from chain_transactions
    where network = ? and contract = ? and ${isTokenBatch('kind')} and status in ('signed', 'submitted', 'included', 'final')`,
    [network, contract],
  )
  return row?.count ?? 0
}

/** Marks transactions as submitted to the node and in no block. */
export async function markSubmitted(db: Knex, ids: readonly string[]): Promise<void> {
  await executeStatement(
    db,
    `
    update chain_transactions
    set status = 'submitted', hash = null, block_number = null, block_hash = null, block_at = null
    where id = any(?::uuid[]) and status in ('signed', 'submitted', 'included')`,
    [ids],
  )
}

export interface MinedTransaction {
  id: string
  receipt: TransactionOutcome
}

/** Records the blocks of transactions. The statuses `final` and `reverted` mean that the block will not change. */
export async function markMined(
  trx: Knex,
  status: 'included' | 'final' | 'reverted',
  mined: readonly MinedTransaction[],
): Promise<void> {
  const receipts = mined.map(({ receipt }) => receipt)
  await executeStatement(
    trx,
    `
    update chain_transactions t set status = ?, hash = u.hash, block_number = u.number, block_hash = u.block,
      block_at = u.at, batch = u.batch, moved_from = u.moved_from
    from unnest(?::uuid[], ?::text[], ?::bigint[], ?::text[], ?::timestamptz[], ?::int[], ?::text[])
      as u (id, hash, number, block, at, batch, moved_from)
    where t.id = u.id`,
    [
      status,
      getColumn(mined, 'id'),
      getColumn(receipts, 'hash'),
      receipts.map(({ block }) => block?.number ?? null),
      receipts.map(({ block }) => block?.hash ?? null),
      getColumn(receipts, 'at'),
      getColumn(receipts, 'batch'),
      getColumn(receipts, 'from'),
    ],
  )
}

/** Marks a transaction as lost, because something else used its place, or it came too late. */
export async function markLost(trx: Knex, id: string): Promise<void> {
  await executeStatement(trx, `update chain_transactions set status = 'lost', block_number = null where id = ?`, [id])
}

/** Lists the blocks below `beforeBlock` in which transactions were recorded, newest first. */
export async function listRecordedBlocks(
  db: Knex,
  { network, address }: SenderAddress,
  beforeBlock: number,
  limit: number,
): Promise<Block[]> {
  const rows = await queryRows<{ number: number | string; hash: string }>(
    db,
    `
    select distinct block_number as number, block_hash as hash from chain_transactions
    where network = ? and sender = ? and block_number < ? order by block_number desc limit ?`,
    [network, address, beforeBlock, limit],
  )
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }))
}

/**
 * Rewinds everything that was recorded above a block, so that the same bytes are sent again. Reverted transactions are
 * given up, because their operations went on without them. If `aboveBlock` is -1, transactions without a known block
 * are rewound too.
 * @returns number of operations that are not final any more, and the transactions of points among theirs
 */
export async function rewindTransactions(
  trx: Knex,
  { network, address }: SenderAddress,
  aboveBlock: number,
): Promise<{ operations: number; pointsTransactions: string[] }> {
  await executeStatement(
    trx,
    `update chain_transactions set status = 'lost', block_number = null
    where network = ? and sender = ? and block_number > ? and status = 'reverted'`,
    [network, address, aboveBlock],
  )
  const [row] = await queryRows<{ operations: number; pointsTransactions: string[] }>(
    trx,
    `
    with before as (
      select id, kind, status from chain_transactions
      where network = ? and sender = ? and coalesce(block_number, 0) > ? and status in ('included', 'final')
    ), back as (
      update chain_transactions t
      set status = 'submitted', hash = null, block_number = null, block_hash = null, block_at = null
      from before where t.id = before.id returning t.id
    ), reopened as (
      update chain_operations o set status = 'sent' from back where o.transaction = back.id and o.status = 'final'
      returning o.id
    )
    select (select count(*) from reopened)::float8 as operations,
      array(select id from before where status = 'final' and ${isPointsTransaction('kind')}) as "pointsTransactions"`,
    [network, address, aboveBlock],
  )
  return row ?? { operations: 0, pointsTransactions: [] }
}
