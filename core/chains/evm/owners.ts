import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { passportsAbi as abi } from './contracts/passports.abi.ts'
import { NodeUnavailable } from '../family.ts'
import { reverts, RpcError, type Rpc } from './rpc.ts'

/** The owner of each token, null where the contract or the token is not there. */
export async function ownersIn(rpc: Rpc, contract: string, tokenIds: readonly string[]): Promise<(string | null)[]> {
  const answers = await rpc.askAll(tokenIds.map((tokenId) => {
    const data = encodeFunctionData({ abi, functionName: 'ownerOf', args: [BigInt(tokenId)] })
    return { method: 'eth_call', params: [{ to: contract, data }, 'latest'] }
  }))
  return answers.map((answer) => {
    if (answer === '0x') return null
    if (answer instanceof RpcError && reverts(answer)) return null
    if (answer instanceof RpcError) throw new NodeUnavailable('the node cannot tell an owner', { cause: answer })
    return decodeFunctionResult({ abi, functionName: 'ownerOf', data: answer as Hex })
  })
}

/** The batch of a token, also after it has moved, and the batch's first owner. */
export async function placeIn(rpc: Rpc, contract: string, tokenId: string): Promise<{ batch: number; issuer: string }> {
  const call = (data: Hex) => rpc.ask<Hex>('eth_call', { to: contract, data }, 'latest')
  const located = await call(encodeFunctionData({ abi, functionName: 'locate', args: [BigInt(tokenId)] }))
  const [batch] = decodeFunctionResult({ abi, functionName: 'locate', data: located })
  const found = await call(encodeFunctionData({ abi, functionName: 'batchAt', args: [batch] }))
  const [, , issuer] = decodeFunctionResult({ abi, functionName: 'batchAt', data: found })
  return { batch: Number(batch), issuer }
}
