import { decodeAbiParameters, decodeFunctionResult, encodeFunctionData, getAddress, type Hex } from 'viem'
import { pointsAbi as abi } from '../contracts/points.abi.ts'
import { NodeUnavailableError, type ChainAct } from '../../family.ts'
import type { IntentAct } from '../../signer/intents.ts'
import { createRpc, RpcError } from '../rpc/rpc.ts'

type PostAct = ChainAct & { kind: 'postPoints' }

/** An entry is the account's address, then the amount in 96 bits as two's complement. */
const amountBits = 96

/** Encodes the call that adds entries to the points of accounts. */
export function encodePost({ operations, accounts, amounts }: Omit<PostAct, 'kind' | 'contract'>): Hex {
  const entries = accounts.map((account, index) => {
    const amount = amounts[index]
    if (amount === undefined) throw new TypeError('an account has no amount')
    return (BigInt(account) << BigInt(amountBits)) | BigInt.asUintN(amountBits, BigInt(amount))
  })
  return encodeFunctionData({ abi, functionName: 'post', args: [operations as readonly Hex[], entries] })
}

/** Decodes the arguments of the call, as the reverse of `encodePost`. */
export function decodePost(
  contract: string,
  [operations, entries]: readonly [readonly Hex[], readonly bigint[]],
): IntentAct & { kind: 'postPoints' } {
  return {
    kind: 'postPoints',
    contract,
    operations: [...operations],
    accounts: entries.map((entry) => getAddress(`0x${(entry >> BigInt(amountBits)).toString(16).padStart(40, '0')}`)),
    amounts: entries.map((entry) => `${BigInt.asIntN(amountBits, entry)}`),
  }
}

/** Decodes the constructor arguments of a contract of points. */
export function parsePointsArguments(args: Hex) {
  const [name, symbol] = decodeAbiParameters(
    [{ type: 'string' }, { type: 'string' }, { type: 'address' }, { type: 'address' }],
    args,
  )
  return { name, symbol }
}

/** Maximum number of accounts that one call reads. */
const maxAccountsPerCall = 500

/** Reads the positions of accounts, in their order: points, or below zero what is owed. @throws NodeUnavailableError */
export async function readPositions(rpcUrl: string, contract: string, accounts: readonly string[]): Promise<bigint[]> {
  const chunks = Array.from({ length: Math.ceil(accounts.length / maxAccountsPerCall) }, (_, index) =>
    accounts.slice(index * maxAccountsPerCall, (index + 1) * maxAccountsPerCall).map((account) => getAddress(account)),
  )
  const answers = await createRpc(rpcUrl).callAll(
    chunks.map((chunk) => {
      const data = encodeFunctionData({ abi, functionName: 'positions', args: [chunk] })
      return { method: 'eth_call', params: [{ to: contract, data }, 'latest'] }
    }),
  )
  return answers.flatMap((answer, index) => {
    if (answer instanceof RpcError) throw new NodeUnavailableError('the node cannot tell points', { cause: answer })
    // A chain that was rewound does not have the contract at present.
    if (answer === '0x') return (chunks[index] ?? []).map(() => 0n)
    return decodeFunctionResult({ abi, functionName: 'positions', data: answer as Hex })
  })
}
