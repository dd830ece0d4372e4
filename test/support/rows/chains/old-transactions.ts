import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { Network } from '../../../../core/chains/networks.ts'

/** A transaction to write: a `mint` that is final, unless its members say otherwise. */
export interface OldTransaction {
  network: Network
  sender: string
  nonce: number
  kind?: 'mint' | 'deploy'
  status?: 'submitted' | 'final' | 'lost'
}

/** Inserts transactions of any age with an attempt of 200 bytes each. @returns their ids */
export async function insertOldTransactions(
  db: Knex,
  transactions: readonly OldTransaction[],
  createdAt: Date,
): Promise<string[]> {
  const rows = transactions.map(({ network, sender, nonce, kind = 'mint', status = 'final' }) => ({
    id: v7(),
    network,
    sender,
    nonce,
    kind,
    status,
    created_at: createdAt,
  }))
  await db('chain_transactions').insert(rows)
  await db('chain_attempts').insert(
    rows.map(({ id }) => ({ hash: `0x${id}`, transaction: id, raw: randomBytes(200), created_at: createdAt })),
  )
  return rows.map(({ id }) => id)
}

/** Counts the attempts of these transactions. */
export async function countAttempts(db: Knex, transactions: readonly string[]): Promise<number> {
  const [row] = await db('chain_attempts').whereIn('transaction', transactions).count<{ count: string }[]>('*')
  return Number(row?.count)
}
