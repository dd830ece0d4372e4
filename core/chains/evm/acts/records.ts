import { decodeFunctionResult, encodeEventTopics, encodeFunctionData, hexToNumber, numberToHex, type Hex } from 'viem'
import { anchorsAbi } from '../contracts/anchors.abi.ts'
import type { AnchorRecord } from '../../family.ts'
import type { RawLog } from '../receipts.ts'
import { createRpc, RpcError, type Rpc } from '../rpc/rpc.ts'

const [anchoredTopic] = encodeEventTopics({ abi: anchorsAbi, eventName: 'Anchored' })

/** Lists the roots that a transaction was the first to anchor. */
export function listAnchoredRoots(logs: readonly RawLog[]): string[] {
  // One transaction performs one kind of act, so the many logs of a batch of mints need no search.
  if (logs[0]?.topics[0] !== anchoredTopic) return []
  return logs.flatMap(({ topics: [topic, root] }) => (topic === anchoredTopic && root !== undefined ? [root] : []))
}

/** Reads time and block of a root from the contract; null if it is not there. */
async function readAnchor(rpc: Rpc, contract: string, root: string): Promise<{ time: bigint; number: bigint } | null> {
  const data = encodeFunctionData({ abi: anchorsAbi, functionName: 'anchorOf', args: [root as Hex] })
  const answer = await rpc.call<Hex>('eth_call', { to: contract, data }, 'latest')
  // A chain that was rewound does not have the contract at present.
  if (answer === '0x') return null
  const [time, number] = decodeFunctionResult({ abi: anchorsAbi, functionName: 'anchorOf', data: answer })
  return time === 0n ? null : { time, number }
}

/** Reads when a root was anchored; null if it was not. @throws NodeUnavailableError */
export async function readAnchorTime(rpcUrl: string, contract: string, root: string): Promise<Date | null> {
  const found = await readAnchor(createRpc(rpcUrl), contract, root)
  return found && new Date(Number(found.time) * 1_000)
}

/** Finds the first anchoring of a root from the contract and its event. */
export async function findRootAnchor(rpc: Rpc, contract: string, root: string): Promise<AnchorRecord | null> {
  const found = await readAnchor(rpc, contract, root)
  if (!found) return null
  const { time, number } = found
  const block = numberToHex(number)
  const filter = { address: contract, topics: [anchoredTopic, root], fromBlock: block, toBlock: block }
  const [logs] = await rpc.callAll([{ method: 'eth_getLogs', params: [filter] }])
  // A node that keeps no old events leaves the transaction hash unknown; the contract itself returned the other facts.
  const [log] = logs instanceof RpcError ? [] : (logs as { transactionHash: Hex }[])
  return { hash: log?.transactionHash ?? null, blockNumber: hexToNumber(block), at: new Date(Number(time) * 1_000) }
}
