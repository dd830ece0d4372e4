import { NodeUnavailableError, type ChainAdapterOptions } from '../../family.ts'
import { networks, type Network } from '../../networks.ts'
import type { Signer } from '../../signer/client.ts'
import type { Fees } from '../fees.ts'
import { createRpc, RpcError, type Rpc } from './rpc.ts'

/** A sender with its access to the chain. */
export interface SenderAccess {
  rpc: Rpc
  network: Network
  chainId: number
  account: string
  address: string
  /** Owner of deployed contracts; null if the signer has none, and then nothing is deployed. */
  owner: string | null
  signer: Signer
  /** Fees that the chain asked for at the last poll. */
  fees: Fees | undefined
  /** Number of the sender's transactions that were in the chain at the last poll: the next nonce to be mined. */
  transactionCount: number
}

export function createSenderAccess({
  network,
  rpcUrl,
  account,
  address,
  owner,
  signer,
}: ChainAdapterOptions): SenderAccess {
  const chainId = Number(networks[network].caip2.split(':')[1])
  return {
    rpc: createRpc(rpcUrl),
    network,
    chainId,
    account,
    address,
    owner,
    signer,
    fees: undefined,
    transactionCount: 0,
  }
}

/** Returns an answer that a working node always has. @throws NodeUnavailableError if the node has no answer */
export function expectAnswer<T>(answer: unknown): T {
  if (answer === null) throw new NodeUnavailableError('the node does not know what it must know')
  return toAnswer<NonNullable<T>>(answer) as T
}

/** Returns the node's answer, or null if the node knows none. @throws NodeUnavailableError if the answer is an error */
export function toAnswer<T>(answer: unknown): T | null {
  if (answer instanceof RpcError) throw new NodeUnavailableError('the node left a question open', { cause: answer })
  return answer as T | null
}
