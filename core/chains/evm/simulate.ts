import { numberToHex, parseTransaction, toHex, type Hex } from 'viem'
import {
  ContractFullError,
  NodeUnavailableError,
  ContractUnavailableError,
  RevertedError,
  type Block,
  type RevertReason,
  type ChainAct,
} from '../family.ts'
import type { SenderAccess } from './rpc/access.ts'
import { toContractCall, toReceiver } from './acts/transaction.ts'
import { toRevertReason, unknownReason } from './revert.ts'
import { isRevert, RpcError, type Rpc } from './rpc/rpc.ts'

/** Maximum gas of one transaction. Source: EIP-7825. */
const maxGas = 16_777_216n

/**
 * Returns gas that is enough for an act, whatever the chain already has of the act. Unused gas is not paid.
 * @returns undefined if the gas has to be estimated
 */
function getSufficientGas(act: ChainAct): bigint | undefined {
  switch (act.kind) {
    case 'mintBatch':
      return 300_000n + 10_500n * BigInt(act.tokenIds.length)
    case 'anchor':
      return 40_000n + 30_000n * BigInt(act.roots.length)
    case 'registerKey':
    case 'rotateKey':
    case 'revokeKey':
      return 150_000n
    default:
      return undefined
  }
}

/** Simulates an act on the current state. @returns the gas that it may use @throws RevertedError, ContractUnavailableError, ContractFullError */
export async function simulateAct({ rpc, address, owner }: SenderAccess, act: ChainAct): Promise<bigint> {
  if (act.kind === 'deploy' && owner === null)
    throw new ContractUnavailableError('The network has no owner for its contracts.')
  const call = await toContractCall(act, { sender: address, owner })
  const transaction = { from: address, ...toReceiver(call), data: call.data }
  const sufficientGas = getSufficientGas(act)
  if (sufficientGas !== undefined && (await canRun(rpc, { ...transaction, gas: numberToHex(sufficientGas) }))) {
    return sufficientGas
  }
  const estimate = await rpc.call<Hex>('eth_estimateGas', transaction).catch((cause: unknown) => {
    throw toRefusalError(cause)
  })
  const gas = (BigInt(estimate) * 23n) / 20n
  if (gas > maxGas) throw new RevertedError('The operation needs more gas than a transaction may have.')
  return gas
}

/**
 * Finds why a transaction reverted. Runs it on the state before its block and on the state of its block, because it
 * reverted in between.
 */
export async function findRevertReason(
  { rpc, address }: SenderAccess,
  raw: Uint8Array,
  block: Block,
): Promise<RevertReason> {
  const { to, data, gas } = parseTransaction(toHex(raw))
  const call = { from: address, ...toReceiver({ to: to ?? null }), data, gas: numberToHex(gas ?? maxGas) }
  const states = [Math.max(0, block.number - 1), block.number].map((number) => numberToHex(number))
  const answers = await rpc.callAll(states.map((state) => ({ method: 'eth_call', params: [call, state] })))
  const error = answers.find((answer) => answer instanceof RpcError)
  return error ? toRevertReason(error) : unknownReason
}

/** Checks with one run whether a transaction succeeds; an estimate takes several runs. */
async function canRun(rpc: Rpc, transaction: Record<string, string>): Promise<boolean> {
  const [answer] = await rpc.callAll([{ method: 'eth_call', params: [transaction, 'latest'] }])
  return !(answer instanceof RpcError)
}

function toRefusalError(cause: unknown): unknown {
  if (!(cause instanceof RpcError)) return cause
  if (!isRevert(cause)) return new NodeUnavailableError('the node cannot simulate', { cause })
  const { text, temporary, full } = toRevertReason(cause)
  if (full) return new ContractFullError(text, { cause })
  return temporary ? new ContractUnavailableError(text, { cause }) : new RevertedError(text, { cause })
}
