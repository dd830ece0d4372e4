import { decodeFunctionResult, encodeEventTopics, encodeFunctionData, hexToNumber, numberToHex, type Hex } from 'viem'
import { anchorsAbi } from '../contracts/anchors.abi.ts'
import type { AnchorRecord } from '../../family.ts'
import type { RawLog } from '../receipts.ts'
import { RpcError, type Rpc } from '../rpc/rpc.ts'

const [anchoredTopic] = encodeEventTopics({ abi: anchorsAbi, eventName: 'Anchored' })

/** Lists the roots that a transaction was the first to anchor. */
export function listAnchoredRoots(logs: readonly RawLog[]): string[] {
  // One transaction performs one kind of act, so the many logs of a batch of mints need no search.
  if (logs[0]?.topics[0] !== anchoredTopic) return []
  return logs.flatMap(({ topics: [topic, root] }) => (topic === anchoredTopic && root !== undefined ? [root] : []))
}

/** Finds the first anchoring of a root from the contract and its event. */
export async function findRootAnchor(rpc: Rpc, contract: string, root: string): Promise<AnchorRecord | null> {
  const data = encodeFunctionData({ abi: anchorsAbi, functionName: 'anchorOf', args: [root as Hex] })
  const answer = await rpc.call<Hex>('eth_call', { to: contract, data }, 'latest')
  if (answer === '0x') return null
  const [time, number] = decodeFunctionResult({ abi: anchorsAbi, functionName: 'anchorOf', data: answer })
  if (time === 0n) return null
  const block = numberToHex(number)
  const filter = { address: contract, topics: [anchoredTopic, root], fromBlock: block, toBlock: block }
  const [logs] = await rpc.callAll([{ method: 'eth_getLogs', params: [filter] }])
  // A node that keeps no old events leaves the transaction hash unknown; the contract itself returned the other facts.
  const [log] = logs instanceof RpcError ? [] : (logs as { transactionHash: Hex }[])
  return { hash: log?.transactionHash ?? null, blockNumber: hexToNumber(block), at: new Date(Number(time) * 1_000) }
}
