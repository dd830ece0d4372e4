import {
  concat,
  encodeFunctionData,
  getAddress,
  hashStruct,
  hexToBytes,
  hexToNumber,
  numberToHex,
  toHex,
  toRlp,
  type Hex,
  type SignedAuthorization,
} from 'viem'
import type { PassOnAct } from '../../family.ts'
import type { IntentAct } from '../../signer/intents.ts'
import { handoversAbi as abi } from '../contracts/handovers.abi.ts'
import { passportsAbi } from '../contracts/passports.abi.ts'
import { expectAnswer } from '../rpc/access.ts'
import type { Rpc } from '../rpc/rpc.ts'

export type PassOnIntent = IntentAct & { kind: 'passOn' }

/** What the wallet of an owner has signed: that the token goes to somebody, and which code the wallet runs from now on. */
export interface Consent {
  signature: Hex
  /** Null if the wallet runs the code already. */
  delegation: SignedAuthorization | null
}

/** The beginning of the code of a wallet that runs the code of a contract, followed by its address. Source: EIP-7702. */
const delegationMark = '0xef0100'

/** Signs bytes with the key of the owner's wallet. @returns r, s and v of 65 bytes */
type SignBytes = (bytes: Uint8Array) => Promise<Uint8Array>

/**
 * Finds out whether the owner's wallet runs the code already.
 * @returns the nonce of the wallet with which it starts to; null if it does
 */
export async function readDelegation(
  rpc: Rpc,
  { from, handovers }: Pick<PassOnAct, 'from' | 'handovers'>,
): Promise<PassOnIntent['delegation']> {
  const [code, count] = await rpc.callAll([
    { method: 'eth_getCode', params: [from, 'latest'] },
    { method: 'eth_getTransactionCount', params: [from, 'latest'] },
  ])
  if (expectAnswer<Hex>(code).toLowerCase() === `${delegationMark}${handovers.slice(2)}`.toLowerCase()) return null
  return { contract: handovers, nonce: hexToNumber(expectAnswer<Hex>(count)) }
}

/** Has the owner's wallet sign that the token moves, and that the wallet runs the code that moves it. */
export async function signConsent(act: PassOnIntent, chainId: number, signBytes: SignBytes): Promise<Consent> {
  const signature = toHex(await signBytes(encodePassOnMessage(act, chainId)))
  const { delegation } = act
  if (delegation === null) return { signature, delegation: null }
  const address = getAddress(delegation.contract)
  const message = concat(['0x05', toRlp([toQuantity(chainId), address, toQuantity(delegation.nonce)])])
  const signed = await signBytes(hexToBytes(message))
  const [r, s] = [toHex(signed.subarray(0, 32)), toHex(signed.subarray(32, 64))]
  return {
    signature,
    delegation: { address, chainId, nonce: delegation.nonce, r, s, yParity: (signed[64] ?? 27) % 27 },
  }
}

/** Encodes a number for RLP, where zero is empty. */
const toQuantity = (value: number): Hex => (value === 0 ? '0x' : numberToHex(value))

const passOnTypes = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  PassOn: [
    { name: 'collection', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'id', type: 'uint256' },
    { name: 'operation', type: 'bytes32' },
    { name: 'until', type: 'uint256' },
  ],
} as const

/** Encodes what the owner's wallet signs about the token, before it is hashed. Source: EIP-712. */
function encodePassOnMessage({ contract, from, to, tokenId, operation, until }: PassOnIntent, chainId: number) {
  const domain = {
    name: 'Tessera passport handovers',
    version: '1',
    chainId: BigInt(chainId),
    verifyingContract: getAddress(from),
  }
  const data = {
    collection: getAddress(contract),
    to: getAddress(to),
    id: BigInt(tokenId),
    operation: operation as Hex,
    until: BigInt(until),
  }
  const hashes = [
    hashStruct({ data: domain, types: passOnTypes, primaryType: 'EIP712Domain' }),
    hashStruct({ data, types: passOnTypes, primaryType: 'PassOn' }),
  ]
  return hexToBytes(concat(['0x1901', ...hashes]))
}

/** Encodes the call of the owner's wallet that moves the token. */
export const encodePassOn = ({ contract, to, tokenId, operation, until }: PassOnIntent, { signature }: Consent): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'passOn',
    args: [getAddress(contract), getAddress(to), BigInt(tokenId), operation as Hex, BigInt(until), signature],
  })

/** Parses the call of a wallet, as the reverse of `encodePassOn`. */
export function decodePassOn(
  from: string,
  args: readonly [Hex, Hex, bigint, Hex, bigint, Hex],
  delegations: readonly { address?: Hex; contractAddress?: Hex; nonce: number }[] = [],
): PassOnIntent {
  const [contract, to, id, operation, until] = args
  const [delegation] = delegations
  return {
    kind: 'passOn',
    contract,
    from,
    to,
    tokenId: numberToHex(id, { size: 32 }),
    operation,
    until: Number(until),
    delegation: delegation
      ? { contract: getAddress(delegation.address ?? delegation.contractAddress ?? '0x'), nonce: delegation.nonce }
      : null,
  }
}

/** Gas of the signatures, of the marks that they leave and of what the call says, beside the move of the token. */
const consentGas = 110_000n

/** Creates the call by which a move is simulated: as if the owner sent it. */
export const createMove = ({ contract, from, to, tokenId }: PassOnAct) => ({
  from,
  to: contract,
  data: encodeFunctionData({
    abi: passportsAbi,
    functionName: 'transferFrom',
    args: [getAddress(from), getAddress(to), BigInt(tokenId)],
  }),
})

/** Returns the gas of the whole transaction. @param move gas of the simulated move */
export const getPassOnGas = (move: bigint): bigint => (move * 23n) / 20n + consentGas
