import type { Knex } from 'knex'
import type { ChainTransactionFilter } from './transactions.ts'

/** Counts the signed attempts of the transactions of a kind and a status. */
export async function countTransactionAttempts(
  db: Knex,
  { kind, status }: Required<Pick<ChainTransactionFilter, 'kind' | 'status'>>,
): Promise<number> {
  const [row] = await db('chain_attempts')
    .join('chain_transactions', 'chain_transactions.id', 'transaction')
    .where({ kind, status })
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the attempts that only use up their nonce, because the node does not take the content. */
export async function countEmptyAttempts(db: Knex): Promise<number> {
  const [row] = await db('chain_attempts').where({ empty: true }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Lists the signed attempts of an operation's transaction, oldest first. */
export async function listAttempts(db: Knex, operation: string): Promise<{ empty: boolean }[]> {
  return db('chain_attempts')
    .join('chain_transactions', 'chain_transactions.id', 'transaction')
    .join('chain_operations', 'chain_operations.transaction', 'chain_transactions.id')
    .where('chain_operations.id', operation)
    .orderBy('chain_attempts.created_at')
    .select<{ empty: boolean }[]>('empty')
}
