import {
  hexToBytes, keccak256, serializeTransaction, toHex, type Hex, type TransactionSerializableEIP1559,
  type TransactionSerializableLegacy,
} from 'viem'
import type { Signed } from '../family.ts'
import type { Intent } from '../signer/intents.ts'
import { callOf, toOf, type Parties } from './calls.ts'
import type { Unit } from '../family.ts'

type Sendable = TransactionSerializableEIP1559 | TransactionSerializableLegacy

/** A transaction that is made and not yet signed. */
export interface Unsigned {
  /** What is signed: its Keccak-256. */
  bytes: Uint8Array
  /** The whole transaction. @param signature r, s and v of 65 bytes */
  signed(signature: Uint8Array): Signed
}

/** Makes the transaction of an intent. It never carries a value. */
export async function transactionOf(intent: Intent, parties: Parties): Promise<Unsigned> {
  const { chainId, nonce, gas, fees: { most, tip } } = intent
  const call = await callOf(unitOf(intent), parties)
  const price = tip === undefined
    ? { type: 'legacy' as const, gasPrice: BigInt(most) }
    : { type: 'eip1559' as const, maxFeePerGas: BigInt(most), maxPriorityFeePerGas: BigInt(tip) }
  const content = { ...toOf(call), data: call.data, gas: BigInt(gas), nonce, chainId, value: 0n, ...price } as Sendable
  return {
    bytes: hexToBytes(serializeTransaction(content)),
    signed(signature) {
      const part = (from: number, to: number): Hex => toHex(signature.subarray(from, to))
      const yParity = (signature[64] ?? 27) % 27
      const raw = serializeTransaction(content, { r: part(0, 32), s: part(32, 64), yParity, v: BigInt(27 + yParity) })
      return { hash: keccak256(raw), raw: hexToBytes(raw) }
    },
  }
}

function unitOf({ act }: Intent): Unit {
  if (act.kind !== 'revokeKey') return act
  const { compromisedAt } = act
  return { ...act, compromisedAt: compromisedAt === null ? null : new Date(compromisedAt * 1_000) }
}
