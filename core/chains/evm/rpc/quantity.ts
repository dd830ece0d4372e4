import { NodeUnavailableError } from '../../family.ts'

export type Hex = `0x${string}`

/**
 * Formats a number for JSON-RPC. The SDK's function is not used, so that code that only reads a chain need not load the
 * SDK.
 */
export const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Parses a number of the node's answer. @throws NodeUnavailableError if it is not a safe integer */
export function parseQuantity(hex: Hex): number {
  const value = typeof hex === 'string' ? Number(hex) : NaN
  if (!Number.isSafeInteger(value)) throw new NodeUnavailableError('the node tells a number that is none')
  return value
}
