import { numberToHex, parseTransaction, toHex, type Hex } from 'viem'
import { ContractFull, NodeUnavailable, NotNow, Reverted, type Block, type Prepared, type Reason, type Unit } from '../family.ts'
import type { Access } from './access.ts'
import { callOf, toOf } from './calls.ts'
import { reasonOf, unknownReason } from './revert.ts'
import { reverts, RpcError, type Rpc } from './rpc.ts'

/** Most gas of one transaction. Source: EIP-7825. */
const gasCap = 16_777_216n

/**
 * Gas that a unit does not use up, whatever the chain has of it already; what is left is not paid. Undefined: it is to
 * be estimated.
 */
function enoughFor(unit: Unit): bigint | undefined {
  switch (unit.kind) {
    case 'mintBatch': return 300_000n + 10_500n * BigInt(unit.tokenIds.length)
    case 'anchor': return 40_000n + 30_000n * BigInt(unit.roots.length)
    case 'registerKey': case 'rotateKey': case 'revokeKey': return 150_000n
    default: return undefined
  }
}

/** Runs a unit on the present state. @throws Reverted, NotNow, ContractFull */
export async function simulate({ rpc, address, owner }: Access, unit: Unit): Promise<Prepared> {
  if (unit.kind === 'fill') return { unit, gas: 21_000n }
  if (unit.kind === 'deploy' && owner === null) throw new NotNow('The network has no owner for its contracts.')
  const call = await callOf(unit, { sender: address, owner })
  const transaction = { from: address, ...toOf(call), data: call.data }
  const gasAtMost = enoughFor(unit)
  if (gasAtMost !== undefined && await works(rpc, { ...transaction, gas: numberToHex(gasAtMost) })) {
    return { unit, gas: gasAtMost }
  }
  const estimate = await rpc.ask<Hex>('eth_estimateGas', transaction)
    .catch((cause: unknown) => { throw refusal(cause) })
  const gas = BigInt(estimate) * 23n / 20n
  if (gas > gasCap) throw new Reverted('The operation needs more gas than a transaction may have.')
  return { unit, gas }
}

/** Runs a transaction once more, on the state before its block and on that of its block: it reverted in between. */
export async function reasonFor({ rpc, address }: Access, raw: Uint8Array, block: Block): Promise<Reason> {
  const { to, data, gas } = parseTransaction(toHex(raw))
  const call = { from: address, ...toOf({ to: to ?? null }), data, gas: numberToHex(gas ?? gasCap) }
  const states = [Math.max(0, block.number - 1), block.number].map((number) => numberToHex(number))
  const answers = await rpc.askAll(states.map((state) => ({ method: 'eth_call', params: [call, state] })))
  const error = answers.find((answer) => answer instanceof RpcError)
  return error ? reasonOf(error) : unknownReason
}

/** One run instead of the several of an estimate. */
async function works(rpc: Rpc, transaction: Record<string, string>): Promise<boolean> {
  const [answer] = await rpc.askAll([{ method: 'eth_call', params: [transaction, 'latest'] }])
  return !(answer instanceof RpcError)
}

function refusal(cause: unknown): unknown {
  if (!(cause instanceof RpcError)) return cause
  if (!reverts(cause)) return new NodeUnavailable('the node cannot simulate', { cause })
  const { text, temporary, full } = reasonOf(cause)
  if (full) return new ContractFull(text, { cause })
  return temporary ? new NotNow(text, { cause }) : new Reverted(text, { cause })
}
