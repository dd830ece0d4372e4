import { readFile } from 'node:fs/promises'
import { encodeDeployData, encodeFunctionData, getAddress, isHex, type Hex } from 'viem'
import { passportsAbi } from './contracts/passports.abi.ts'
import type { Unit } from '../family.ts'

export interface ContractCall { to: string | null; data: Hex }

const abi = passportsAbi
let code: Promise<Hex> | undefined

/** What a unit is as a call of the sender's. A unit that only fills a nonce goes to the sender itself. */
export async function callOf(unit: Unit, sender: string): Promise<ContractCall> {
  switch (unit.kind) {
    case 'deploy': {
      const { name, symbol, baseUri, issuer } = unit.collection
      const args = [name, symbol, baseUri, getAddress(issuer), getAddress(sender), getAddress(sender)] as const
      return { to: null, data: encodeDeployData({ abi, bytecode: await (code ??= readCode()), args }) }
    }
    case 'mintBatch': {
      const args = [getAddress(unit.issuer), unit.tokenIds.map(BigInt)] as const
      return { to: unit.contract, data: encodeFunctionData({ abi, functionName: 'mintBatch', args }) }
    }
    case 'mint': {
      const args = [getAddress(unit.to), BigInt(unit.tokenId)] as const
      return { to: unit.contract, data: encodeFunctionData({ abi, functionName: 'mint', args }) }
    }
    case 'transfer': {
      const args = [getAddress(unit.to), BigInt(unit.tokenId), BigInt(unit.batch), BigInt(unit.index)] as const
      return { to: unit.contract, data: encodeFunctionData({ abi, functionName: 'transferFromBatch', args }) }
    }
    case 'fill': return { to: sender, data: '0x' }
  }
}

async function readCode(): Promise<Hex> {
  const file = new URL('contracts/artifacts/ProductPassports.json', import.meta.url)
  const { bytecode } = JSON.parse(await readFile(file, 'utf8')) as { bytecode?: unknown }
  if (!isHex(bytecode)) throw new Error('the artifact of ProductPassports has no bytecode')
  return bytecode
}
