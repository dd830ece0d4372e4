import { encodeFunctionData, getAddress, type Hex } from 'viem'
import { passportsAbi as abi } from './contracts/passports.abi.ts'
import type { Unit } from '../family.ts'
import { deployData } from './deploy.ts'
import { recordData } from './records.ts'

export interface ContractCall { to: string | null; data: Hex }

/** Who sends, and who owns what is deployed. */
export interface Parties { sender: string; owner: string | null }

/** A call's receiver as JSON-RPC and the SDK take it: left out when a contract is made. */
export const toOf = ({ to }: { to: string | null }) => (to === null ? {} : { to: getAddress(to) })

/** What a unit is as a call of the sender's. A unit that only fills a nonce goes to the sender itself. */
export async function callOf(unit: Unit, parties: Parties): Promise<ContractCall> {
  switch (unit.kind) {
    case 'deploy': return { to: null, data: await deployData(unit.contract, parties) }
    case 'fill': return { to: parties.sender, data: '0x' }
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
    default: return { to: unit.contract, data: recordData(unit) }
  }
}
