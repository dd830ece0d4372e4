import type { Block, Receipt, ChainSnapshot } from '../family.ts'
import { expectAnswer, toAnswer, type SenderAccess } from './rpc/access.ts'
import { toFees } from './fees.ts'
import { parseQuantity, toQuantity, type Hex } from './rpc/quantity.ts'
import type { RawBlock, RawReceipt } from './receipts.ts'
import { RpcError } from './rpc/rpc.ts'

/** Reads the state of the chain in one request. Stores the current fees and the sender's count in `access`. */
export async function readChainSnapshot(
  access: SenderAccess,
  readReceipts: (raw: readonly RawReceipt[]) => Promise<Receipt[]>,
  hashes: readonly string[],
): Promise<ChainSnapshot> {
  const [head, count, tip, price, ...receiptAnswers] = await access.rpc.callAll([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [access.address, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_gasPrice', params: [] },
    ...hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ])
  const { number, hash, baseFeePerGas } = expectAnswer<RawBlock>(head)
  // A chain without a fee market does not know this method.
  access.fees = toFees(baseFeePerGas, tip instanceof RpcError ? undefined : (tip as Hex), expectAnswer<Hex>(price))
  const receipts = await readReceipts(
    receiptAnswers.map((receipt) => toAnswer<RawReceipt>(receipt)).filter((receipt) => receipt !== null),
  )
  access.transactionCount = parseQuantity(expectAnswer<Hex>(count))
  return {
    head: { number: parseQuantity(number), hash },
    receipts: new Map(receipts.map((receipt) => [receipt.hash, receipt])),
  }
}

/** Checks whether each block is part of the node's chain. */
export async function knowsBlocks({ rpc }: SenderAccess, blocks: readonly Block[]): Promise<boolean[]> {
  const found = await rpc.callAll(
    blocks.map(({ number }) => ({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] })),
  )
  return found.map((block, index) => toAnswer<RawBlock>(block)?.hash === blocks[index]?.hash)
}
