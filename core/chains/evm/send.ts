import {
  getAddress, getContractAddress, hexToBytes, keccak256, parseTransaction, serializeTransaction, toHex,
  type Hex, type TransactionSerializableEIP1559, type TransactionSerializableLegacy,
} from 'viem'
import { NodeUnavailable, Refused, type Prepared, type Reception, type Signed } from '../family.ts'
import type { Access } from './access.ts'
import { toOf } from './calls.ts'
import { leastOf, raised, type Fees } from './fees.ts'
import { fund } from './funding.ts'
import { RpcError } from './rpc.ts'

type Sendable = TransactionSerializableEIP1559 | TransactionSerializableLegacy

/** Where a contract lies that the address deploys with this nonce. */
export const contractAt = (address: string, nonce: number) =>
  getContractAddress({ from: getAddress(address), nonce: BigInt(nonce) })

/** Makes a signed transaction at the present fees. */
export function seal(access: Access, attempt: string, { to, data, gas }: Prepared, nonce: number): Promise<Signed> {
  const call = { ...toOf({ to }), data: data as Hex, gas, nonce, chainId: access.chainId, value: 0n }
  return sign(access, attempt, { ...call, ...priced(feesNow(access)) })
}

/** Whether a transaction pays less than a block asks now. */
export function underpays(access: Access, raw: Uint8Array): boolean {
  return paidBy(raw).most < leastOf(feesNow(access))
}

/** The same transaction at higher fees; null when it offers far more than the chain asks: fees are not to blame. */
export async function raise(access: Access, attempt: string, raw: Uint8Array): Promise<Signed | null> {
  const { to, data, gas, nonce, value } = parseTransaction(toHex(raw))
  const now = feesNow(access)
  const before = paidBy(raw)
  if (before.most > now.most * 10n) return null
  const price = raised(before, now)
  const call = { to, data, gas, nonce, value, chainId: access.chainId }
  return sign(access, attempt, { ...call, ...priced(price) } as Sendable)
}

/** Hands a signed transaction to the node. @throws Refused */
export async function send({ rpc, address }: Access, raw: Uint8Array): Promise<Reception> {
  try {
    await rpc.ask('eth_sendRawTransaction', toHex(raw))
    return 'taken'
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause
    const reception = receptionOf(cause)
    if (reception) return reception
    const message = `the node does not take the transaction: ${cause.message}`
    if (!mayPass.test(cause.message)) throw new Refused(message, { cause })
    if (/insufficient funds/i.test(cause.message)) await fund(rpc, address)
    throw new NodeUnavailable(message, { cause })
  }
}

async function sign({ signer, account }: Access, attempt: string, transaction: Sendable): Promise<Signed> {
  const signature = await signer.sign(attempt, account, 'evm', hexToBytes(serializeTransaction(transaction)))
  const part = (from: number, to: number) => toHex(signature.subarray(from, to))
  const yParity = (signature[64] ?? 27) % 27
  const raw = serializeTransaction(transaction, { r: part(0, 32), s: part(32, 64), yParity, v: BigInt(27 + yParity) })
  return { hash: keccak256(raw), raw: hexToBytes(raw) }
}

function paidBy(raw: Uint8Array): Fees {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip } = parseTransaction(toHex(raw))
  const most = maxFeePerGas ?? gasPrice ?? 0n
  return tip === undefined ? { most } : { most, tip }
}

function feesNow({ fees }: Access): Fees {
  if (!fees) throw new NodeUnavailable('the fees of the chain are not known yet')
  return fees
}

const priced = ({ most, tip }: Fees) => tip === undefined
  ? { type: 'legacy' as const, gasPrice: most }
  : { type: 'eip1559' as const, maxFeePerGas: most, maxPriorityFeePerGas: tip }

/** Refusals that are not of the bytes: the sender has no money, the node has no room or waits for another nonce. */
const mayPass = new RegExp('insufficient funds|pool|queue|future|in-flight|nonce too high|nonce gap|gapped|'
  + 'limit (reached|exceeded)|too many|timed? ?out', 'i')

/** What a node's refusal of a signed transaction means; undefined: neither known nor a matter of fees. */
function receptionOf({ message }: RpcError): Reception | undefined {
  if (/already (known|imported|exists)|known transaction|nonce (is )?too low/i.test(message)) return 'known'
  if (/underpriced|less than block base fee|fee too low|below base fee|gas price too low/i.test(message)) return 'cheap'
  return undefined
}
