import { base58btc } from 'multiformats/bases/base58'

/** Says that what follows is an Ed25519 public key. Source: multicodec table, 0xed as an unsigned varint. */
const ed25519 = Buffer.from([0xed, 0x01])

/** An Ed25519 public key of 32 bytes as Multikey, `z6Mk…`. Source: W3C Controlled Identifiers, section 2.2.2. */
export const multikeyOf = (key: Uint8Array): string => base58btc.encode(Buffer.concat([ed25519, key]))
