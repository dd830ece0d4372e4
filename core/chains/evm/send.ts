import { numberToHex, parseTransaction, toHex, type Hex } from 'viem'
import {
  ActRefusedError,
  ContractFullError,
  ContractUnavailableError,
  NodeUnavailableError,
  RevertedError,
  TransactionRefusedError,
  type Block,
  type ChainAct,
  type PassOnAct,
  type PreparedAct,
  type RevertReason,
  type SendResult,
  type SignedTransaction,
} from '../family.ts'
import { fill } from '../acts/fill.ts'
import { SignerRefusedError } from '../signer/client.ts'
import type { IntentAct } from '../signer/intents.ts'
import type { SenderAccess } from './rpc/access.ts'
import { getMinFee, raiseFees, type Fees } from './fees.ts'
import { fundSender } from './funding.ts'
import { parseIntentAct } from './acts/intents.ts'
import { createMove, getPassOnGas, readDelegation } from './acts/pass-on.ts'
import { toContractCall, toReceiver } from './acts/transaction.ts'
import { toRevertReason, unknownReason } from './revert.ts'
import { isRevert, RpcError, type Rpc } from './rpc/rpc.ts'

export { computeDeploymentAddress } from './acts/deployment.ts'

/**
 * Simulates an act on the current state of the chain, so that it can be signed.
 * @throws RevertedError, ContractUnavailableError, ContractFullError, NodeUnavailableError
 */
export async function prepareAct(access: SenderAccess, act: ChainAct): Promise<PreparedAct> {
  const simulated = act.kind === 'passOn' ? await simulatePassOn(access, act) : await simulateAct(access, act)
  return { act, sign: (attempt, nonce) => signSimulatedAct(access, attempt, simulated, nonce) }
}

/** A simulated act, as the signer is asked for it, with the gas that it may use. */
interface SimulatedAct {
  act: IntentAct
  gas: bigint
}

/** Refusals that pass: the chain's fees are too high at present, or the sender has not recorded its nonce yet. */
const temporaryRefusalCodes = new Set(['FEES', 'NONCE'])

/** Has the signer create and sign a transaction at the current fees. @throws ActRefusedError, NodeUnavailableError */
async function signSimulatedAct(
  access: SenderAccess,
  attempt: string,
  { act, gas }: SimulatedAct,
  nonce: number,
): Promise<SignedTransaction> {
  const fees = getCurrentFees(access)
  try {
    return await requestSignature(access, attempt, { act, gas, nonce, fees })
  } catch (cause) {
    if (!(cause instanceof SignerRefusedError)) throw cause
    const isRaced = cause.code === 'SIGNED_BEFORE' && cause.nonce === undefined
    if (temporaryRefusalCodes.has(cause.code) || isRaced)
      throw new NodeUnavailableError(`the signer waits: ${cause.message}`, { cause })
    throw new ActRefusedError(cause, cause.nonce)
  }
}

/** Gas of a transaction that does nothing. */
const fillerGas = 21_000n

/** Has the signer sign a transaction that does nothing but use a nonce up. */
export const signFiller = (access: SenderAccess, attempt: string, nonce: number): Promise<SignedTransaction> =>
  requestSignature(access, attempt, { act: fill, gas: fillerGas, nonce, fees: getCurrentFees(access) })

/** Checks whether a transaction pays less than a block requires now. */
export function isBelowMinFee(access: SenderAccess, raw: Uint8Array): boolean {
  return getPaidFees(raw).maxFee < getMinFee(getCurrentFees(access))
}

/**
 * Has the signer sign the same transaction at higher fees.
 * @param application application whose contract the transaction concerns
 * @returns null if the transaction offers far more than the chain asks, so that fees are not to blame, or if it deploys
 * code of an earlier version, which this version does not sign
 */
export async function signRaisedTransaction(
  access: SenderAccess,
  attempt: string,
  raw: Uint8Array,
  application: string | null,
): Promise<SignedTransaction | null> {
  const { to, data, gas, nonce, authorizationList: delegations } = parseTransaction(toHex(raw))
  const now = getCurrentFees(access)
  const before = getPaidFees(raw)
  if (before.maxFee > now.maxFee * 10n) return null
  const act = await parseIntentAct({ receiver: to ?? null, data: data ?? '0x', delegations }, application)
  return (
    act && requestSignature(access, attempt, { act, gas: gas ?? 0n, nonce: nonce ?? 0, fees: raiseFees(before, now) })
  )
}

/** Hands a signed transaction to the node. @throws TransactionRefusedError, NodeUnavailableError */
export async function submitTransaction({ rpc, address }: SenderAccess, raw: Uint8Array): Promise<SendResult> {
  try {
    await rpc.call('eth_sendRawTransaction', toHex(raw))
    return 'taken'
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause
    const reception = toSendResult(cause)
    if (reception) return reception
    const message = `the node does not take the transaction: ${cause.message}`
    if (!temporaryRefusalPattern.test(cause.message)) throw new TransactionRefusedError(message, { cause })
    if (/insufficient funds/i.test(cause.message)) await fundSender(rpc, address)
    throw new NodeUnavailableError(message, { cause })
  }
}

interface SigningRequest {
  act: IntentAct
  gas: bigint
  nonce: number
  fees: Fees
}

function requestSignature(
  { signer, account, network, chainId }: SenderAccess,
  attempt: string,
  { act, gas, nonce, fees }: SigningRequest,
): Promise<SignedTransaction> {
  const { maxFee, tip } = fees
  const price = { most: `${maxFee}`, ...(tip === undefined ? {} : { tip: `${tip}` }) }
  return signer.signIntent(attempt, { network, chainId, account, act, gas: `${gas}`, nonce, fees: price })
}

function getPaidFees(raw: Uint8Array): Fees {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip } = parseTransaction(toHex(raw))
  const maxFee = maxFeePerGas ?? gasPrice ?? 0n
  return tip === undefined ? { maxFee } : { maxFee, tip }
}

function getCurrentFees({ fees }: SenderAccess): Fees {
  if (!fees) throw new NodeUnavailableError('the fees of the chain are not known yet')
  return fees
}

/**
 * Refusals that the bytes did not cause: the sender has no money, or the node has no room or waits for another nonce.
 */
const temporaryRefusalPattern = new RegExp(
  'insufficient funds|pool|queue|future|in-flight|nonce too high|nonce gap|gapped|'
    + 'limit (reached|exceeded)|too many|timed? ?out',
  'i',
)

/** Converts a node's refusal of a signed transaction. @returns undefined if it is about neither known bytes nor fees */
function toSendResult({ message }: RpcError): SendResult | undefined {
  if (/already (known|imported|exists)|known transaction|nonce (is )?too low/i.test(message)) return 'known'
  if (/underpriced|less than block base fee|fee too low|below base fee|gas price too low/i.test(message))
    return 'outdated'
  return undefined
}

/** Maximum gas of one transaction. Source: EIP-7825. */
const maxGas = 16_777_216n

/**
 * Returns gas that is enough for an act, whatever the chain already has of the act. Unused gas is not paid.
 * @returns undefined if the gas has to be estimated
 */
function getSufficientGas(act: Exclude<ChainAct, PassOnAct>): bigint | undefined {
  switch (act.kind) {
    case 'mintBatch':
      return 300_000n + 10_500n * BigInt(act.tokenIds.length)
    case 'anchor':
      return 40_000n + 30_000n * BigInt(act.roots.length)
    case 'postPoints':
      return 100_000n + 52_000n * BigInt(act.operations.length)
    case 'registerKey':
    case 'rotateKey':
    case 'revokeKey':
      return 150_000n
    default:
      return undefined
  }
}

/** Simulates an act on the current state. @throws RevertedError, ContractUnavailableError, ContractFullError */
async function simulateAct(
  { rpc, address, owner }: SenderAccess,
  act: Exclude<ChainAct, PassOnAct>,
): Promise<SimulatedAct> {
  if (act.kind === 'deploy' && owner === null)
    throw new ContractUnavailableError('The network has no owner for its contracts.')
  const call = await toContractCall(act, { sender: address, owner })
  const transaction = { from: address, ...toReceiver(call), data: call.data }
  const sufficientGas = getSufficientGas(act)
  if (sufficientGas !== undefined && (await canRun(rpc, { ...transaction, gas: numberToHex(sufficientGas) }))) {
    return { act, gas: sufficientGas }
  }
  const gas = ((await estimateGas(rpc, transaction)) * 23n) / 20n
  if (gas > maxGas) throw new RevertedError('The operation needs more gas than a transaction may have.')
  return { act, gas }
}

/**
 * Simulates that the owner of a token moves it: the owner's signature is made when the transaction is.
 * @throws RevertedError if the token is not with the owner, ContractUnavailableError
 */
async function simulatePassOn({ rpc }: SenderAccess, { handovers, ...act }: PassOnAct): Promise<SimulatedAct> {
  const gas = getPassOnGas(await estimateGas(rpc, createMove({ handovers, ...act })))
  return { act: { ...act, delegation: await readDelegation(rpc, { from: act.from, handovers }) }, gas }
}

/** @throws RevertedError, ContractUnavailableError, ContractFullError, NodeUnavailableError */
async function estimateGas(rpc: Rpc, transaction: object): Promise<bigint> {
  const estimate = await rpc.call<Hex>('eth_estimateGas', transaction).catch((cause: unknown) => {
    throw toRefusalError(cause)
  })
  return BigInt(estimate)
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
