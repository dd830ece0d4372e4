import type { Knex } from 'knex'
import type { NewChainRecord, RecordOutcome } from '../../../chains/port.ts'
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

/** Returns the id of the key that a record's id contains. */
export const parseKeyOfRecord = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

/** Inserts the pending receipt of a key record. */
export async function insertReceipt(trx: Knex, record: NewChainRecord): Promise<void> {
  const compromised = record.kind === 'revokeKey' ? record.compromisedAt : null
  await trx('certification_key_receipts')
    .insert({
      id: record.id,
      key: parseKeyOfRecord(record.id),
      network: record.network,
      act: record.kind,
      compromised_at: compromised,
    })
    .onConflict('id')
    .ignore()
}

/** Stores the outcome of a record. @returns true if it is the first outcome */
export async function settleReceipt(trx: Knex, outcome: RecordOutcome): Promise<boolean> {
  const { id, status, contract, transactionHash, blockNumber, at } = outcome
  const before = await trx<ReceiptRow>('certification_key_receipts').where({ id }).first('status')
  await trx('certification_key_receipts')
    .where({ id })
    .update({ status, contract, transaction_hash: transactionHash, block_number: blockNumber, at })
  return before?.status === 'pending'
}
