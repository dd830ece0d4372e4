import type { Knex } from 'knex'
import type { NewRecord, SettledRecord } from '../../../chains/chain.ts'
import type { Network } from '../../../chains/networks.ts'

export interface ReceiptRow {
  id: string
  key: string
  network: Network
  act: 'registerKey' | 'rotateKey' | 'revokeKey'
  status: 'pending' | 'final' | 'failed'
  compromised_at: Date | null
  contract: string | null
  transaction_hash: string | null
  block_number: string | null
  at: Date | null
}

/** Reads from the identifier of a record which key it is about. */
export const keyOfRecord = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

/** Keeps that a record about a key is on its way. */
export async function insertReceipt(trx: Knex, record: NewRecord): Promise<void> {
  const compromised = record.kind === 'revokeKey' ? record.compromisedAt : null
  await trx('certification_key_receipts')
    .insert({ id: record.id, key: keyOfRecord(record.id), network: record.network, act: record.kind, compromised_at: compromised })
    .onConflict('id').ignore()
}

/** Writes what became of a record. @returns whether its network had not answered before */
export async function settleReceipt(trx: Knex, outcome: SettledRecord): Promise<boolean> {
  const { id, status, contract, transactionHash, blockNumber, at } = outcome
  const before = await trx<ReceiptRow>('certification_key_receipts').where({ id }).first('status')
  await trx('certification_key_receipts').where({ id })
    .update({ status, contract, transaction_hash: transactionHash, block_number: blockNumber, at })
  return before?.status === 'pending'
}
