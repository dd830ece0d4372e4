import {
  encodeFunctionData,
  getAddress,
  hexToBytes,
  keccak256,
  pad,
  serializeTransaction,
  toHex,
  type Hex,
  type TransactionSerializableEIP1559,
  type TransactionSerializableEIP7702,
  type TransactionSerializableLegacy,
} from 'viem'
import { anchorsAbi } from '../contracts/anchors.abi.ts'
import { keysAbi } from '../contracts/keys.abi.ts'
import { passportsAbi as abi } from '../contracts/passports.abi.ts'
import type { ChainAct, ChainRecordAct, PassOnAct, SignedTransaction } from '../../family.ts'
import type { Intent, IntentAct } from '../../signer/intents.ts'
import { encodeDeployment } from './bytecode.ts'
import { encodePassOn, type Consent } from './pass-on.ts'
import { encodePost } from './points.ts'

type UnsignedContent = TransactionSerializableEIP1559 | TransactionSerializableEIP7702 | TransactionSerializableLegacy

/** A complete transaction that is not signed yet. */
export interface UnsignedTransaction {
  /** Bytes whose Keccak-256 is signed. */
  bytes: Uint8Array
  /** Adds a signature to the transaction. @param signature r, s and v of 65 bytes */
  addSignature(signature: Uint8Array): SignedTransaction
}

/**
 * Creates the transaction of an intent. The transaction never carries a value.
 * @param consent what the owner of a token that is passed on has signed
 */
export async function createTransaction(
  intent: Intent,
  parties: ContractParties,
  consent?: Consent,
): Promise<UnsignedTransaction> {
  const {
    chainId,
    nonce,
    gas,
    fees: { most: maxFee, tip },
  } = intent
  const call = await toIntentCall(intent.act, parties, consent)
  const price =
    tip === undefined
      ? { type: 'legacy' as const, gasPrice: BigInt(maxFee) }
      : { type: 'eip1559' as const, maxFeePerGas: BigInt(maxFee), maxPriorityFeePerGas: BigInt(tip) }
  const delegation = consent?.delegation
  const content = {
    ...toReceiver(call),
    data: call.data,
    gas: BigInt(gas),
    nonce,
    chainId,
    value: 0n,
    ...price,
    ...(delegation && { type: 'eip7702' as const, authorizationList: [delegation] }),
  } as UnsignedContent
  return {
    bytes: hexToBytes(serializeTransaction(content)),
    addSignature(signature) {
      const slicePart = (from: number, to: number): Hex => toHex(signature.subarray(from, to))
      const yParity = (signature[64] ?? 27) % 27
      const raw = serializeTransaction(content, {
        r: slicePart(0, 32),
        s: slicePart(32, 64),
        yParity,
        v: BigInt(27 + yParity),
      })
      return { hash: keccak256(raw), raw: hexToBytes(raw) }
    },
  }
}

interface ContractCall {
  to: string | null
  data: Hex
}

/** Converts an intent to the sender's call. @throws TypeError for a token that is passed on without its owner's consent */
function toIntentCall(act: IntentAct, parties: ContractParties, consent: Consent | undefined): Promise<ContractCall> {
  if (act.kind !== 'passOn') return toContractCall(act, parties)
  if (!consent) throw new TypeError('the owner of a token has to sign that it is passed on')
  return Promise.resolve({ to: act.from, data: encodePassOn(act, consent) })
}

/** The address that sends, and the owner of contracts that are deployed. */
export interface ContractParties {
  sender: string
  owner: string | null
}

/** Returns a call's receiver for JSON-RPC and the SDK. It is left out when a contract is created. */
export const toReceiver = ({ to }: { to: string | null }) => (to === null ? {} : { to: getAddress(to) })

/**
 * Converts an act that the sender alone decides about to its call. An act that only fills a nonce goes to the sender
 * itself.
 */
export async function toContractCall(
  act: Exclude<ChainAct, PassOnAct>,
  parties: ContractParties,
): Promise<ContractCall> {
  switch (act.kind) {
    case 'deploy':
      return { to: null, data: await encodeDeployment(act.contract, parties) }
    case 'fill':
      return { to: parties.sender, data: '0x' }
    case 'mintBatch': {
      const args = [getAddress(act.issuer), act.tokenIds.map(BigInt)] as const
      return { to: act.contract, data: encodeFunctionData({ abi, functionName: 'mintBatch', args }) }
    }
    case 'mint': {
      const args = [getAddress(act.to), BigInt(act.tokenId)] as const
      return { to: act.contract, data: encodeFunctionData({ abi, functionName: 'mint', args }) }
    }
    case 'transfer': {
      const args = [getAddress(act.to), BigInt(act.tokenId), BigInt(act.batch), BigInt(act.index)] as const
      return { to: act.contract, data: encodeFunctionData({ abi, functionName: 'transferFromBatch', args }) }
    }
    case 'postPoints':
      return { to: act.contract, data: encodePost(act) }
    default:
      return { to: act.contract, data: encodeRecordAct(act) }
  }
}

/** Encodes the contract call of a record act. */
function encodeRecordAct(act: ChainRecordAct): Hex {
  if (act.kind === 'anchor') return encodeAnchor(act.roots as readonly Hex[])
  const organization = toOrganizationWord(act.organization)
  const key = act.key as Hex
  switch (act.kind) {
    case 'registerKey':
      return encodeFunctionData({ abi: keysAbi, functionName: 'register', args: [organization, key] })
    case 'rotateKey': {
      const args = [organization, key, act.previous as Hex] as const
      return encodeFunctionData({ abi: keysAbi, functionName: 'rotate', args })
    }
    case 'revokeKey': {
      const since = BigInt(act.compromisedAt ?? 0)
      return encodeFunctionData({ abi: keysAbi, functionName: 'revoke', args: [organization, key, since] })
    }
  }
}

function encodeAnchor(roots: readonly Hex[]): Hex {
  const [root] = roots
  return roots.length === 1 && root !== undefined
    ? encodeFunctionData({ abi: anchorsAbi, functionName: 'anchor', args: [root] })
    : encodeFunctionData({ abi: anchorsAbi, functionName: 'anchorMany', args: [roots] })
}

/** Converts an organization's UUID to the number that the registry of keys uses for it. */
const toOrganizationWord = (uuid: string): Hex => pad(`0x${uuid.replaceAll('-', '')}`)
