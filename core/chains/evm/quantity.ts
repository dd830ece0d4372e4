import { NodeUnavailable } from '../family.ts'

export type Hex = `0x${string}`

/** A number as JSON-RPC spells it. Here and not of the SDK, which who only looks at a chain does not load. */
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** The number that a node has spelled. @throws NodeUnavailable at what is none */
export function numberOf(hex: Hex): number {
  const value = typeof hex === 'string' ? Number(hex) : NaN
  if (!Number.isSafeInteger(value)) throw new NodeUnavailable('the node tells a number that is none')
  return value
}
