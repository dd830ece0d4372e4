import type { Hex } from './quantity.ts'

/** Fees per unit of gas, in wei. Without `tip` the chain knows no fee market and `most` is the gas price. */
export interface Fees { most: bigint; tip?: bigint }

/** Twice the base fee outlasts six full blocks. Source: EIP-1559. */
export function feesOf(baseFee: Hex | undefined, tip: Hex | undefined, gasPrice: Hex): Fees {
  if (baseFee === undefined) return { most: BigInt(gasPrice) }
  const own = tip === undefined ? 1_000_000_000n : BigInt(tip)
  return { most: BigInt(baseFee) * 2n + own, tip: own }
}

/** What the next block asks at least. */
export const leastOf = ({ most, tip }: Fees) => (tip === undefined ? most : (most - tip) / 2n)

/** Fees that replace `before`: nodes ask for 10 %, some for 12.5 %; what the chain asks now when that is more. */
export function raised(before: Fees, now: Fees): Fees {
  const more = (fee: bigint) => (fee * 9n + 7n) / 8n
  const most = max(more(before.most), now.most)
  if (before.tip === undefined) return { most }
  return { most, tip: min(most, max(more(before.tip), now.tip ?? 0n)) }
}

const max = (a: bigint, b: bigint) => (a > b ? a : b)
const min = (a: bigint, b: bigint) => (a < b ? a : b)
