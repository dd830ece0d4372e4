import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { passportsAbi as abi } from '../contracts/passports.abi.ts'
import { NodeUnavailableError } from '../../family.ts'
import { isRevert, RpcError, type Rpc } from '../rpc/rpc.ts'

/** Finds the owner of each token. The owner is null if the contract or the token does not exist. */
export async function findTokenOwners(
  rpc: Rpc,
  contract: string,
  tokenIds: readonly string[],
): Promise<(string | null)[]> {
  const answers = await rpc.callAll(
    tokenIds.map((tokenId) => {
      const data = encodeFunctionData({ abi, functionName: 'ownerOf', args: [BigInt(tokenId)] })
      return { method: 'eth_call', params: [{ to: contract, data }, 'latest'] }
    }),
  )
  return answers.map((answer) => {
    if (answer === '0x') return null
    if (answer instanceof RpcError && isRevert(answer)) return null
    if (answer instanceof RpcError) throw new NodeUnavailableError('the node cannot tell an owner', { cause: answer })
    return decodeFunctionResult({ abi, functionName: 'ownerOf', data: answer as Hex })
  })
}

/** Reads the batch of a token, even after the token has moved, and the batch's first owner. */
export async function readBatchOfToken(
  rpc: Rpc,
  contract: string,
  tokenId: string,
): Promise<{ batch: number; issuer: string }> {
  const call = (data: Hex) => rpc.call<Hex>('eth_call', { to: contract, data }, 'latest')
  const located = await call(encodeFunctionData({ abi, functionName: 'locate', args: [BigInt(tokenId)] }))
  const [batch] = decodeFunctionResult({ abi, functionName: 'locate', data: located })
  const found = await call(encodeFunctionData({ abi, functionName: 'batchAt', args: [batch] }))
  const [, , issuer] = decodeFunctionResult({ abi, functionName: 'batchAt', data: found })
  return { batch: Number(batch), issuer }
}
