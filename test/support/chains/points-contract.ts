import { encodeEventTopics, getContract, parseEventLogs, type Address, type Hex, type TransactionReceipt } from 'viem'
import artifact from '../../../core/chains/evm/contracts/artifacts/LoyaltyPoints.json' with { type: 'json' }
import { pointsAbi } from '../../../core/chains/evm/contracts/points.abi.ts'
import type { AnvilNode } from '../node.ts'
import type { TestAnvil } from './anvil.ts'
import { owner, relayer } from './passport-contract.ts'

/** An entry of points: what it adds to an account, or takes away below zero. */
export interface PointsEntry {
  operation: Hex
  account: Address
  amount: bigint
}

/** Packs an entry as the contract takes it: the address, then 96 bits of the signed amount. */
export const packEntry = ({ account, amount }: PointsEntry): bigint =>
  (BigInt(account) << 96n) + (amount < 0n ? (1n << 96n) + amount : amount)

/** Deploys a new `LoyaltyPoints` that belongs to `owner`, and returns it with calls of its relayer. */
export async function deployPoints({ client, fund, waitUntilMined }: TestAnvil) {
  await fund(owner, relayer)
  const deployment = await waitUntilMined(
    client.deployContract({
      abi: pointsAbi,
      bytecode: artifact.bytecode as Hex,
      args: ['House of Bags', 'HOUSEOFB', owner, relayer],
      account: owner,
    }),
  )
  if (!deployment.contractAddress) throw new Error('The contract was not deployed')
  const contract = getContract({ abi: pointsAbi, address: deployment.contractAddress, client })
  return {
    contract,
    deployment,
    post: (...entries: readonly PointsEntry[]) =>
      waitUntilMined(
        contract.write.post([entries.map(({ operation }) => operation), entries.map(packEntry)], { account: relayer }),
      ),
  }
}
export type PointsContract = Awaited<ReturnType<typeof deployPoints>>

/** Returns operation, account and amount of each entry that counted in a transaction. */
export const parsePosted = ({ logs }: TransactionReceipt) =>
  parseEventLogs({ abi: pointsAbi, eventName: 'Posted', logs }).map(({ args }) => [
    args.operation,
    args.account,
    args.amount,
  ])

/** Counts how often each operation counted, in all contracts of the chain. */
export async function countPosted(node: AnvilNode): Promise<Map<string, number>> {
  const topics = encodeEventTopics({ abi: pointsAbi, eventName: 'Posted' })
  const logs = await node.callRpc<{ topics: string[] }[]>('eth_getLogs', { fromBlock: '0x0', topics })
  const counts = new Map<string, number>()
  for (const {
    topics: [, operation = ''],
  } of logs)
    counts.set(operation, (counts.get(operation) ?? 0) + 1)
  return counts
}
