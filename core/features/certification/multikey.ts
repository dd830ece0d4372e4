import { base58btc } from 'multiformats/bases/base58'

/** Says that what follows is an Ed25519 public key. Source: multicodec table, 0xed as an unsigned varint. */
const ed25519 = Buffer.from([0xed, 0x01])

/** An Ed25519 public key of 32 bytes as Multikey, `z6Mk…`. Source: W3C Controlled Identifiers, section 2.2.2. */
export const multikeyOf = (key: Uint8Array): string => base58btc.encode(Buffer.concat([ed25519, key]))

/** Characters, more than 34 bytes take; decoding takes the square of their number. */
const longest = 64

/** The Ed25519 public key of a Multikey, 32 bytes; null for what is none, or another spelling. */
export function keyOfMultikey(multikey: string): Uint8Array | null {
  const key = base58Bytes(multikey, longest)?.subarray(ed25519.length)
  return key?.length === 32 && multikeyOf(key) === multikey ? key : null
}

/** Bytes in base58 with the letter of its multibase before them, `z…`; null for other characters, or more than `most`. */
export function base58Bytes(text: string, most: number): Uint8Array | null {
  return text.length <= most && /^z[1-9A-HJ-NP-Za-km-z]+$/.test(text) ? base58btc.decode(text) : null
}
