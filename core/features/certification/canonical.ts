import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The one spelling of a JSON value. Source: RFC 8785 (JCS).
 * @throws TypeError for what has no such spelling: numbers past the range, halves of surrogate pairs, cycles, no JSON
 */
export function canonical(value: unknown): string {
  const text = spelled(value)
  if (text === undefined) throw new TypeError('The value is no JSON')
  return text
}

function spelled(value: unknown): string | undefined {
  try {
    return canonicalize(value)
  } catch (cause) {
    throw new TypeError('The value has no canonical spelling', { cause })
  }
}

/** SHA-256 in small hexadecimal digits. */
export const sha256Of = (text: string | Uint8Array): string => hash('sha256', text, 'hex')
