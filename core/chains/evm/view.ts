import type { Block, Receipt, View } from '../family.ts'
import { certain, maybe, type Access } from './access.ts'
import { feesOf } from './fees.ts'
import { numberOf, quantity, type Hex } from './quantity.ts'
import type { RawBlock, RawReceipt } from './receipts.ts'
import { RpcError } from './rpc.ts'

/** Looks at the chain in one request, and notes what it asks for gas. */
export async function look(
  access: Access, read: (raw: readonly RawReceipt[]) => Promise<Receipt[]>, hashes: readonly string[],
): Promise<View> {
  const [head, count, tip, price, ...found] = await access.rpc.askAll([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [access.address, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_gasPrice', params: [] },
    ...hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ])
  const { number, hash, baseFeePerGas } = certain<RawBlock>(head)
  // A chain without a fee market does not know the question.
  access.fees = feesOf(baseFeePerGas, tip instanceof RpcError ? undefined : tip as Hex, certain<Hex>(price))
  const receipts = await read(found.map((receipt) => maybe<RawReceipt>(receipt)).filter((receipt) => receipt !== null))
  return {
    head: { number: numberOf(number), hash },
    count: numberOf(certain<Hex>(count)),
    receipts: new Map(receipts.map((receipt) => [receipt.hash, receipt])),
  }
}

/** Whether the node has these blocks in its chain. */
export async function knowsBlocks({ rpc }: Access, blocks: readonly Block[]): Promise<boolean[]> {
  const found = await rpc.askAll(blocks.map(({ number }) => (
    { method: 'eth_getBlockByNumber', params: [quantity(number), false] })))
  return found.map((block, index) => maybe<RawBlock>(block)?.hash === blocks[index]?.hash)
}
