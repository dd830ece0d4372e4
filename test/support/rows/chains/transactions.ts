import type { Knex } from 'knex'
import type { ChainAct } from '../../../../core/chains/family.ts'

export type ChainTransactionStatus = 'signed' | 'submitted' | 'included' | 'final' | 'reverted' | 'lost'

/** What the transactions have in common that a test means. */
export interface ChainTransactionFilter {
  kind?: ChainAct['kind']
  status?: ChainTransactionStatus
  /** Null: transactions that concern no application. */
  application?: string | null
  /** Address of the contract that they call. */
  contract?: string
  nonce?: number
}

export interface ChainTransaction {
  id: string
  /** Address of the sender. */
  sender: string
  nonce: number
  status: ChainTransactionStatus
}

/** Lists the transactions that senders have stored. */
export async function listChainTransactions(
  db: Knex,
  filter: ChainTransactionFilter = {},
): Promise<ChainTransaction[]> {
  const rows = await db('chain_transactions')
    .where(filter)
    .select<(Omit<ChainTransaction, 'nonce'> & { nonce: string })[]>('id', 'sender', 'nonce', 'status')
  return rows.map((row) => ({ ...row, nonce: Number(row.nonce) }))
}

/** Counts the transactions that senders have stored. */
export async function countChainTransactions(db: Knex, filter: ChainTransactionFilter): Promise<number> {
  const [row] = await db('chain_transactions').where(filter).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Reads how far a transaction is. */
export async function readChainTransactionStatus(db: Knex, id: string): Promise<ChainTransactionStatus> {
  const row = await db('chain_transactions').where({ id }).first<Pick<ChainTransaction, 'status'> | undefined>('status')
  if (!row) throw new Error(`There is no transaction ${id}`)
  return row.status
}

/** Counts an organization's mints to claimers whose nonces come before that of an operation. */
export async function countClaimsBefore(
  db: Knex,
  { organization, operation }: { organization: string; operation: string },
): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ before: number }] }>(
    `select count(*)::int as before from chain_transactions t join chain_operations o on o.transaction = t.id
     where o.organization = ? and t.kind = 'mint' and t.nonce < (
       select nonce from chain_transactions where id = (select transaction from chain_operations where id = ?))`,
    [organization, operation],
  )
  return rows[0].before
}
