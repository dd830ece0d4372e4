import { callRpc } from '../../../../core/embedded/rpc.ts'
import { platform } from '../../../support/platform.ts'

/** keccak-256 of `Transfer(address,address,uint256)`. Source: ERC-721. */
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Transfer {
  from: string
  to: string
  transactionHash: string
}

/** The transfers of every token of a contract as the chain has them, by token id, the first one first. */
export async function listTransfers(contract: string, url = platform.rpc): Promise<Map<string, Transfer[]>> {
  const logs = (await callRpc(url, 'eth_getLogs', [{ address: contract, topics: [transfer], fromBlock: '0x0' }])) as {
    topics: [string, string, string, string]
    transactionHash: string
  }[]
  const address = (topic: string) => `0x${topic.slice(26)}`
  const found = new Map<string, Transfer[]>()
  for (const {
    topics: [, from, to, id],
    transactionHash,
  } of logs) {
    found.set(id, [...(found.get(id) ?? []), { from: address(from), to: address(to), transactionHash }])
  }
  return found
}
