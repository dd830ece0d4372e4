import { NodeUnavailable, type FamilyOptions } from '../family.ts'
import { networks, type Network } from '../networks.ts'
import type { Signer } from '../signer/client.ts'
import type { Fees } from './fees.ts'
import { rpcOf, RpcError, type Rpc } from './rpc.ts'

/** One sender and its way to the chain. */
export interface Access {
  rpc: Rpc
  network: Network
  chainId: number
  account: string
  address: string
  /** Who owns what is deployed; null: the signer has none, and nothing is deployed. */
  owner: string | null
  signer: Signer
  /** What the chain asks, as last seen. */
  fees: Fees | undefined
}

export function accessOf({ network, rpcUrl, account, address, owner, signer }: FamilyOptions): Access {
  const chainId = Number(networks[network].caip2.split(':')[1])
  return { rpc: rpcOf(rpcUrl), network, chainId, account, address, owner, signer, fees: undefined }
}

/** The answer to what a node in order can answer. */
export function certain<T>(answer: unknown): T {
  if (answer === null) throw new NodeUnavailable('the node does not know what it must know')
  return maybe<NonNullable<T>>(answer) as T
}

/** The answer, null where the node knows nothing of it. */
export function maybe<T>(answer: unknown): T | null {
  if (answer instanceof RpcError) throw new NodeUnavailable('the node left a question open', { cause: answer })
  return answer as T | null
}
