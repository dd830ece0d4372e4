import type { TransactionOutcome, UnconfirmedTransaction } from '../family.ts'
import { findTokenOwners, readBatchOfToken } from './acts/owners.ts'
import type { Rpc } from './rpc/rpc.ts'
import type { Hex } from './rpc/quantity.ts'

/** Derives a transaction's outcome from the state of the chain. @returns null if the transaction had no effect */
export async function findTransactionEffect(
  rpc: Rpc,
  { kind, contract, hash, tokenId, recipient }: UnconfirmedTransaction,
): Promise<TransactionOutcome | null> {
  if (contract === null || (await rpc.call<Hex>('eth_getCode', contract, 'latest')) === '0x') return null
  const outcome = { hash, succeeded: true, block: null, at: null, contract, batch: null, from: null, roots: [] }
  if (kind === 'deploy') return outcome
  if (tokenId === null) return null
  const [owner] = await findTokenOwners(rpc, contract, [tokenId])
  if (!owner) return null
  if (kind === 'mint') return outcome
  if (kind === 'passOn') return owner === recipient ? outcome : null
  const { batch, issuer } = await readBatchOfToken(rpc, contract, tokenId)
  if (kind === 'mintBatch') return { ...outcome, batch }
  return owner === issuer ? null : { ...outcome, from: issuer }
}
