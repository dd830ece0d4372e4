import { base58btc } from 'multiformats/bases/base58'

/** The prefix of an Ed25519 public key. Source: multicodec table, 0xed as an unsigned varint. */
const ed25519Prefix = Buffer.from([0xed, 0x01])

/**
 * Encodes an Ed25519 public key of 32 bytes as a Multikey, `z6Mk…`. Source: W3C Controlled Identifiers, section 2.2.2.
 */
export const toMultikey = (key: Uint8Array): string => base58btc.encode(Buffer.concat([ed25519Prefix, key]))

/** Maximum length of a Multikey: 34 bytes need fewer characters, and decoding takes quadratic time. */
const maxMultikeyLength = 64

/**
 * Parses a Multikey into an Ed25519 public key of 32 bytes; null if it has another type or is not in its canonical
 * spelling.
 */
export function parseEd25519Multikey(multikey: string): Uint8Array | null {
  const key = decodeBase58(multikey, maxMultikeyLength)?.subarray(ed25519Prefix.length)
  return key?.length === 32 && toMultikey(key) === multikey ? key : null
}

/** Decodes base58 with its multibase letter, `z…`; null if the text has other characters or more than `maxLength`. */
export function decodeBase58(text: string, maxLength: number): Uint8Array | null {
  return text.length <= maxLength && /^z[1-9A-HJ-NP-Za-km-z]+$/.test(text) ? base58btc.decode(text) : null
}
