import { decodeEventLog, encodeEventTopics, getAddress, hexToNumber, zeroAddress, type Hex } from 'viem'
import { passportsAbi } from './contracts/passports.abi.ts'
import type { Receipt } from '../family.ts'
import { listAnchoredRoots } from './acts/records.ts'
import { RpcError, type Rpc } from './rpc/rpc.ts'

export interface RawLog {
  topics: [Hex, ...Hex[]]
  data: Hex
}
export interface RawReceipt {
  transactionHash: Hex
  status: Hex
  blockNumber: Hex
  blockHash: Hex
  contractAddress: Hex | null
  logs: RawLog[]
}
export interface RawBlock {
  number: Hex
  hash: Hex
  timestamp: Hex
  baseFeePerGas?: Hex
}

const [batchTopic] = encodeEventTopics({ abi: passportsAbi, eventName: 'BatchMinted' })
const [transferTopic] = encodeEventTopics({ abi: passportsAbi, eventName: 'Transfer' })

/**
 * Creates a function that converts the node's receipts and adds the times of their blocks. The times are cached by
 * block hash, because the time of a block with a given hash never changes.
 */
export function createReceiptReader(rpc: Rpc) {
  const times = new Map<string, Date>()
  return async (raw: readonly RawReceipt[]): Promise<Receipt[]> => {
    const missing = [...new Set(raw.map(({ blockHash }) => blockHash))].filter((hash) => !times.has(hash))
    if (times.size > 1_000) times.clear()
    const blocks = await rpc.callAll(missing.map((hash) => ({ method: 'eth_getBlockByHash', params: [hash, false] })))
    for (const block of blocks as (RawBlock | null | RpcError)[]) {
      if (block && !(block instanceof RpcError)) times.set(block.hash, new Date(hexToNumber(block.timestamp) * 1_000))
    }
    // A receipt is dropped if its block is gone a moment later.
    return raw.flatMap((receipt) => {
      const at = times.get(receipt.blockHash)
      return at ? [toReceipt(receipt, at)] : []
    })
  }
}

function toReceipt(raw: RawReceipt, at: Date): Receipt {
  const { transactionHash, status, blockNumber, blockHash, contractAddress, logs } = raw
  return {
    hash: transactionHash,
    succeeded: status === '0x1',
    block: { number: hexToNumber(blockNumber), hash: blockHash },
    at,
    contract: contractAddress && getAddress(contractAddress),
    batch: findMintedBatch(logs),
    from: findPreviousOwner(logs),
    roots: listAnchoredRoots(logs),
  }
}

function findMintedBatch(logs: readonly RawLog[]): number | null {
  const log = logs.find(({ topics }) => topics[0] === batchTopic)
  return log ? Number(decodeEventLog({ abi: passportsAbi, eventName: 'BatchMinted', ...log }).args.batch) : null
}

function findPreviousOwner(logs: readonly RawLog[]): string | null {
  // The transfer of a token has its id as a topic. Points have an event of the same name, with the amount as data.
  const log = logs.find(({ topics }) => topics[0] === transferTopic && topics.length === 4)
  if (!log) return null
  const { from } = decodeEventLog({ abi: passportsAbi, eventName: 'Transfer', ...log }).args
  return from === zeroAddress ? null : from
}
