import { parseTransaction, toHex } from 'viem'
import { NodeUnavailable, Refused, type Prepared, type Reception, type Signed } from '../family.ts'
import type { Act } from '../signer/intents.ts'
import type { Access } from './access.ts'
import { leastOf, raised, type Fees } from './fees.ts'
import { fund } from './funding.ts'
import { actIn, actOf } from './intents.ts'
import { RpcError } from './rpc.ts'

export { contractAt } from './deployment.ts'

/** Has a transaction made and signed at the present fees. */
export function seal(access: Access, attempt: string, { unit, gas }: Prepared, nonce: number): Promise<Signed> {
  return sign(access, attempt, { act: actOf(unit), gas, nonce, fees: feesNow(access) })
}

/** Whether a transaction pays less than a block asks now. */
export function underpays(access: Access, raw: Uint8Array): boolean {
  return paidBy(raw).most < leastOf(feesNow(access))
}

/**
 * The same transaction at higher fees; null when it offers far more than the chain asks (fees are not to blame), and
 * where an earlier version deploys code that this one does not sign. @param application whose contract it concerns
 */
export async function raise(
  access: Access, attempt: string, raw: Uint8Array, application: string | null,
): Promise<Signed | null> {
  const { to, data, gas, nonce } = parseTransaction(toHex(raw))
  const now = feesNow(access)
  const before = paidBy(raw)
  if (before.most > now.most * 10n) return null
  const act = await actIn(to ?? null, data ?? '0x', application)
  return act && sign(access, attempt, { act, gas: gas ?? 0n, nonce: nonce ?? 0, fees: raised(before, now) })
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

interface Wish { act: Act; gas: bigint; nonce: number; fees: Fees }

function sign({ signer, account, network, chainId }: Access, attempt: string, { act, gas, nonce, fees }: Wish): Promise<Signed> {
  const { most, tip } = fees
  const price = { most: `${most}`, ...(tip === undefined ? {} : { tip: `${tip}` }) }
  return signer.sign(attempt, { network, chainId, account, act, gas: `${gas}`, nonce, fees: price })
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

/** Refusals that are not of the bytes: the sender has no money, the node has no room or waits for another nonce. */
const mayPass = new RegExp('insufficient funds|pool|queue|future|in-flight|nonce too high|nonce gap|gapped|'
  + 'limit (reached|exceeded)|too many|timed? ?out', 'i')

/** What a node's refusal of a signed transaction means; undefined: neither known nor a matter of fees. */
function receptionOf({ message }: RpcError): Reception | undefined {
  if (/already (known|imported|exists)|known transaction|nonce (is )?too low/i.test(message)) return 'known'
  if (/underpriced|less than block base fee|fee too low|below base fee|gas price too low/i.test(message)) return 'cheap'
  return undefined
}
