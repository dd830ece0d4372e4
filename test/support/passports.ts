import { createHash } from 'node:crypto'
import {
  BaseError, decodeErrorResult, encodeFunctionData, getAddress, getContract, isHex, parseEventLogs,
  type Address, type Hex, type TransactionReceipt,
} from 'viem'
import artifact from '../../core/chains/evm/contracts/artifacts/ProductPassports.json' with { type: 'json' }
import { keysAbi } from '../../core/chains/evm/contracts/keys.abi.ts'
import { passportsAbi } from '../../core/chains/evm/contracts/passports.abi.ts'
import type { TestAnvil } from './anvil.ts'

/** An address nobody has used, the same for the same name. */
export const addressOf = (name: string): Address => getAddress(`0x${sha256(name).slice(0, 40)}`)

export const issuer = addressOf('issuer')
export const owner = addressOf('owner')
export const relayer = addressOf('relayer')
export const baseURI = 'https://passports.example/t/'

/** The `number` first token ids of a series, increasing, spread over the whole range as SHA-256 is. */
export const idsOf = (series: string, number: number): bigint[] =>
  Array.from({ length: number }, (_, i) => BigInt(`0x${sha256(`${series} ${i}`)}`)).sort((a, b) => (a < b ? -1 : 1))

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export type Passports = Awaited<ReturnType<typeof deployPassports>>

/** A new `ProductPassports`, with what the tests do to it. */
export async function deployPassports({ client, fund, mined }: TestAnvil) {
  await fund(owner, relayer, issuer)
  const deployment = await mined(client.deployContract({
    abi: passportsAbi,
    bytecode: artifact.bytecode as Hex,
    args: ['Tessera', 'TSR', baseURI, issuer, owner, relayer],
    account: owner,
  }))
  if (!deployment.contractAddress) throw new Error('The contract was not deployed')
  const contract = getContract({ abi: passportsAbi, address: deployment.contractAddress, client })
  return {
    contract,
    deployment,
    mined,
    mint: (to: Address, id: bigint) => mined(contract.write.mint([to, id], { account: relayer })),
    mintBatch: (ids: bigint[]) => mined(contract.write.mintBatch([ids], { account: relayer })),
    transferFromBatch: (to: Address, id: bigint, batch: number, index: number) =>
      mined(contract.write.transferFromBatch([to, id, BigInt(batch), BigInt(index)], { account: relayer })),
    /** Batches of one id each, 200 a transaction. */
    async mintOneByOne(ids: bigint[]) {
      for (let i = 0; i < ids.length; i += 200) {
        const calls = ids.slice(i, i + 200).map((id) =>
          encodeFunctionData({ abi: passportsAbi, functionName: 'mintBatch', args: [[id]] }))
        await mined(contract.write.multicall([calls], { account: relayer }))
      }
    },
  }
}

/** From, to and id of each `Transfer` of a receipt. */
export const transfersIn = ({ logs }: TransactionReceipt) =>
  parseEventLogs({ abi: passportsAbi, eventName: 'Transfer', logs })
    .map(({ args }) => [args.from, args.to, args.tokenId])

/** Name of the error a call reverts with; undefined when it succeeds. @throws what is no revert of our contracts */
export async function refusal(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    const cause = error instanceof BaseError ? error.walk((each) => isHex((each as { data?: unknown }).data)) : null
    if (cause === null) throw error
    return decodeErrorResult({ abi: [...passportsAbi, ...keysAbi], data: (cause as unknown as { data: Hex }).data }).errorName
  }
}
