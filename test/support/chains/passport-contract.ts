import { createHash } from 'node:crypto'
import {
  BaseError,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  getContract,
  isHex,
  parseEventLogs,
  type Address,
  type Hex,
  type TransactionReceipt,
} from 'viem'
import artifact from '../../../core/chains/evm/contracts/artifacts/ProductPassports.json' with { type: 'json' }
import { handoversAbi } from '../../../core/chains/evm/contracts/handovers.abi.ts'
import { keysAbi } from '../../../core/chains/evm/contracts/keys.abi.ts'
import { passportsAbi } from '../../../core/chains/evm/contracts/passports.abi.ts'
import { pointsAbi } from '../../../core/chains/evm/contracts/points.abi.ts'
import type { TestAnvil } from './anvil.ts'

/** Creates an unused address, the same for the same name. */
export const createAddress = (name: string): Address => getAddress(`0x${sha256(name).slice(0, 40)}`)

export const issuer = createAddress('issuer')
export const owner = createAddress('owner')
export const relayer = createAddress('relayer')
export const baseURI = 'https://passports.example/t/'

/** Creates the first `count` token ids of a series, in increasing order; SHA-256 spreads them over the whole range. */
export const createTokenIds = (series: string, count: number): bigint[] =>
  Array.from({ length: count }, (_, i) => BigInt(`0x${sha256(`${series} ${i}`)}`)).sort((a, b) => (a < b ? -1 : 1))

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export type PassportsContract = Awaited<ReturnType<typeof deployPassports>>

/** Deploys a new `ProductPassports` and returns it with functions for tests. */
export async function deployPassports({ client, fund, waitUntilMined }: TestAnvil) {
  await fund(owner, relayer, issuer)
  const deployment = await waitUntilMined(
    client.deployContract({
      abi: passportsAbi,
      bytecode: artifact.bytecode as Hex,
      args: ['Tessera', 'TSR', baseURI, issuer, owner, relayer],
      account: owner,
    }),
  )
  if (!deployment.contractAddress) throw new Error('The contract was not deployed')
  const contract = getContract({ abi: passportsAbi, address: deployment.contractAddress, client })
  return {
    contract,
    deployment,
    mined: waitUntilMined,
    mint: (to: Address, id: bigint) => waitUntilMined(contract.write.mint([to, id], { account: relayer })),
    mintBatch: (ids: bigint[]) => waitUntilMined(contract.write.mintBatch([ids], { account: relayer })),
    transferFromBatch: (to: Address, id: bigint, batch: number, index: number) =>
      waitUntilMined(contract.write.transferFromBatch([to, id, BigInt(batch), BigInt(index)], { account: relayer })),
    /** Mints batches of one id each, 200 per transaction. */
    async mintOneByOne(ids: bigint[]) {
      for (let i = 0; i < ids.length; i += 200) {
        const calls = ids
          .slice(i, i + 200)
          .map((id) => encodeFunctionData({ abi: passportsAbi, functionName: 'mintBatch', args: [[id]] }))
        await waitUntilMined(contract.write.multicall([calls], { account: relayer }))
      }
    },
  }
}

/** Returns from, to and id of each `Transfer` in a receipt. */
export const parseTransfers = ({ logs }: TransactionReceipt) =>
  parseEventLogs({ abi: passportsAbi, eventName: 'Transfer', logs }).map(({ args }) => [
    args.from,
    args.to,
    args.tokenId,
  ])

/**
 * Returns the name of the error that a call reverts with; undefined if it succeeds.
 * @throws errors that are not reverts of our contracts
 */
export async function findRevertName(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    const cause = error instanceof BaseError ? error.walk((each) => isHex((each as { data?: unknown }).data)) : null
    if (cause === null) throw error
    const { data } = cause as unknown as { data: Hex }
    return decodeErrorResult({ abi: [...passportsAbi, ...keysAbi, ...pointsAbi, ...handoversAbi], data }).errorName
  }
}
