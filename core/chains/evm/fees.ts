import type { Hex } from './rpc/quantity.ts'

/** Fees per unit of gas, in wei. Without `tip` the chain has no fee market, and `maxFee` is the gas price. */
export interface Fees {
  maxFee: bigint
  tip?: bigint
}

/** Computes the fees to offer. Twice the base fee is enough for six more full blocks. Source: EIP-1559. */
export function toFees(baseFee: Hex | undefined, tip: Hex | undefined, gasPrice: Hex): Fees {
  if (baseFee === undefined) return { maxFee: BigInt(gasPrice) }
  const tipFee = tip === undefined ? 1_000_000_000n : BigInt(tip)
  return { maxFee: BigInt(baseFee) * 2n + tipFee, tip: tipFee }
}

/** Returns the minimum fee of the next block, from fees that `toFees` computed. */
export const getMinFee = ({ maxFee, tip }: Fees) => (tip === undefined ? maxFee : (maxFee - tip) / 2n)

/**
 * Raises fees by 12.5 % for a replacement, because nodes require 10 % or 12.5 %. Current fees are used if they are
 * higher.
 */
export function raiseFees(before: Fees, now: Fees): Fees {
  const addEighth = (fee: bigint) => (fee * 9n + 7n) / 8n
  const maxFee = getMaximum(addEighth(before.maxFee), now.maxFee)
  if (before.tip === undefined) return { maxFee }
  return { maxFee, tip: getMinimum(maxFee, getMaximum(addEighth(before.tip), now.tip ?? 0n)) }
}

const getMaximum = (a: bigint, b: bigint) => (a > b ? a : b)
const getMinimum = (a: bigint, b: bigint) => (a < b ? a : b)
