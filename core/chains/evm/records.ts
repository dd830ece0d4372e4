import {
  decodeFunctionResult, encodeEventTopics, encodeFunctionData, hexToNumber, numberToHex, pad, type Hex,
} from 'viem'
import { anchorsAbi } from './contracts/anchors.abi.ts'
import { keysAbi } from './contracts/keys.abi.ts'
import type { Anchoring, RecordUnit } from '../family.ts'
import type { RawLog } from './receipts.ts'
import { RpcError, type Rpc } from './rpc.ts'

/** The call that a unit is of the contract it goes to. */
export function recordData(unit: RecordUnit): Hex {
  if (unit.kind === 'anchor') return anchorData(unit.roots as readonly Hex[])
  const organization = organizationOf(unit.organization)
  const key = unit.key as Hex
  switch (unit.kind) {
    case 'registerKey':
      return encodeFunctionData({ abi: keysAbi, functionName: 'register', args: [organization, key] })
    case 'rotateKey': {
      const args = [organization, key, unit.previous as Hex] as const
      return encodeFunctionData({ abi: keysAbi, functionName: 'rotate', args })
    }
    case 'revokeKey': {
      const since = BigInt(Math.floor((unit.compromisedAt?.getTime() ?? 0) / 1_000))
      return encodeFunctionData({ abi: keysAbi, functionName: 'revoke', args: [organization, key, since] })
    }
  }
}

function anchorData(roots: readonly Hex[]): Hex {
  const [only] = roots
  return roots.length === 1 && only !== undefined
    ? encodeFunctionData({ abi: anchorsAbi, functionName: 'anchor', args: [only] })
    : encodeFunctionData({ abi: anchorsAbi, functionName: 'anchorMany', args: [roots] })
}

/** An organization as the registry of keys has it: its UUID as a number. */
export const organizationOf = (uuid: string): Hex => pad(`0x${uuid.replaceAll('-', '')}`)

const [anchoredTopic] = encodeEventTopics({ abi: anchorsAbi, eventName: 'Anchored' })

/** Roots that a transaction was the first to anchor. */
export function rootsIn(logs: readonly RawLog[]): string[] {
  // One transaction does one kind of thing: a batch of mints is not searched.
  if (logs[0]?.topics[0] !== anchoredTopic) return []
  return logs.flatMap(({ topics: [topic, root] }) => (topic === anchoredTopic && root !== undefined ? [root] : []))
}

/** Where a root was anchored first, as the contract and its event tell. */
export async function anchoringIn(rpc: Rpc, contract: string, root: string): Promise<Anchoring | null> {
  const data = encodeFunctionData({ abi: anchorsAbi, functionName: 'anchorOf', args: [root as Hex] })
  const kept = await rpc.ask<Hex>('eth_call', { to: contract, data }, 'latest')
  if (kept === '0x') return null
  const [time, number] = decodeFunctionResult({ abi: anchorsAbi, functionName: 'anchorOf', data: kept })
  if (time === 0n) return null
  const block = numberToHex(number)
  const filter = { address: contract, topics: [anchoredTopic, root], fromBlock: block, toBlock: block }
  const [logs] = await rpc.askAll([{ method: 'eth_getLogs', params: [filter] }])
  // A node that keeps no old events leaves the transaction untold; the contract itself has told the rest.
  const [log] = logs instanceof RpcError ? [] : logs as { transactionHash: Hex }[]
  return { hash: log?.transactionHash ?? null, blockNumber: hexToNumber(block), at: new Date(Number(time) * 1_000) }
}
