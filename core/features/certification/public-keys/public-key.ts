import { ECDH } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import { base58Bytes, multikeyOf } from '../multikey.ts'
import { Doubt, type Json } from '../verify.doubt.ts'

/** A public key that signatures can be judged with here: Ed25519 as 32 bytes, P-256 as its compressed point of 33. */
export interface PublicKey { type: 'Ed25519' | 'P-256'; bytes: Uint8Array }

/** Characters of a Multikey: an RSA key of 4,096 bits fits in. Decoding takes the square of their number. */
const maxCharacters = 1_024

/** Codes of the multicodec table as unsigned varints, of keys. Source: multicodec table. */
const codecs = { ed25519: [0xed, 0x01], p256: [0x80, 0x24], x25519: [0xec, 0x01] } as const

/**
 * Reads a Multikey, `z6Mk…` or `zDn…`. @throws Doubt for what is none, or has another spelling; an unknown one for a key
 * of another type. Source: W3C Controlled Identifiers, section 2.2.2
 */
export function publicKeyOfMultikey(multikey: string): PublicKey {
  const decoded = base58Bytes(multikey, maxCharacters)
  if (decoded === null || base58btc.encode(decoded) !== multikey) throw new Doubt('The key is no Multikey in base58btc')
  if (startsWith(decoded, codecs.ed25519)) return ed25519Key(decoded.subarray(2))
  // A Multikey has the point in its compressed form.
  if (startsWith(decoded, codecs.p256)) return p256Key(decoded.length === 35 ? decoded.subarray(2) : new Uint8Array())
  if (startsWith(decoded, codecs.x25519)) throw noSignatures()
  // A code has one to nine bytes of which the last one is below 128, and a key stands behind it.
  const end = decoded.findIndex((byte) => byte < 0x80)
  if (end < 0 || end > 8 || decoded.length - end < 17) throw new Doubt('The key is no Multikey: no key stands behind its code')
  throw unsupportedKey(`of the code 0x${Buffer.from(decoded.subarray(0, end + 1)).toString('hex')}`)
}

const startsWith = (bytes: Uint8Array, codec: readonly number[]) => codec.every((byte, at) => bytes[at] === byte)

const unsupportedKey = (which: string) =>
  new Doubt(`The key is ${which}, a type that is not supported here: Ed25519 and P-256 are`, { unknown: true })

const noSignatures = () => new Doubt('The key is for agreeing on keys, not for signatures')

function ed25519Key(bytes: Uint8Array): PublicKey {
  if (bytes.length !== 32) throw new Doubt('The key is no Ed25519 key')
  return { type: 'Ed25519', bytes }
}

/** @param point in either form of SEC 1. @throws Doubt for what is no point of the curve */
function p256Key(point: Uint8Array): PublicKey {
  try {
    return { type: 'P-256', bytes: ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed') as Buffer }
  } catch (cause) {
    throw new Doubt('The key is no P-256 key', { cause })
  }
}

/**
 * Reads a JWK. @throws Doubt for what is none, shows its private half or is for something else; an unknown one for a key
 * of another type. Source: RFC 7517, sections 4.2 and 4.4; RFC 7518, section 6.2; RFC 8037, section 2
 */
export function publicKeyOfJwk(jwk: Json): PublicKey {
  const { kty, crv, d, k, use } = jwk
  if (d !== undefined || k !== undefined) {
    throw new Doubt('The DID document shows the private half of the key: anyone can sign with it')
  }
  if (typeof kty !== 'string') throw new Doubt('The key is no JWK: it names no type')
  if (use !== undefined && use !== 'sig') throw new Doubt('The key is not for signatures')
  if (kty === 'OKP' && crv === 'Ed25519') return ed25519OfJwk(jwk)
  if (kty === 'EC' && crv === 'P-256') return p256OfJwk(jwk)
  if (crv === 'X25519' || crv === 'X448') throw noSignatures()
  throw unsupportedKey(crv === undefined ? kty : `${kty} ${String(crv)}`)
}

function ed25519OfJwk({ x, alg }: Json): PublicKey {
  const bytes = bytesOf(x)
  if (bytes.length !== 32) throw new Doubt('The key is no Ed25519 key')
  refuseOtherAlgorithm(alg, ['EdDSA', 'Ed25519'])
  return { type: 'Ed25519', bytes }
}

function p256OfJwk({ x, y, alg }: Json): PublicKey {
  const [first, second] = [bytesOf(x), bytesOf(y)]
  if (first.length !== 32 || second.length !== 32) throw new Doubt('The key is no P-256 key')
  refuseOtherAlgorithm(alg, ['ES256'])
  return p256Key(Buffer.concat([Uint8Array.of(4), first, second]))
}

function refuseOtherAlgorithm(alg: unknown, algorithms: readonly string[]): void {
  if (alg !== undefined && !algorithms.some((one) => one === alg)) throw new Doubt(`The key is not for signatures with ${algorithms[0]}`)
}

/** Bytes in base64url; none for another spelling. */
function bytesOf(value: unknown): Buffer {
  const bytes = Buffer.from(typeof value === 'string' ? value : '', 'base64url')
  return bytes.toString('base64url') === value ? bytes : Buffer.alloc(0)
}

/** The key as a document names it. Source: W3C Controlled Identifiers, section 2.2.2. */
export const multikeyOfKey = ({ type, bytes }: PublicKey): string => type === 'Ed25519'
  ? multikeyOf(bytes)
  : base58btc.encode(Buffer.concat([Uint8Array.from(codecs.p256), bytes]))

/** The key as libraries of JOSE take it. Source: RFC 7518, section 6.2; RFC 8037, section 2. */
export function joseKeyOf({ type, bytes }: PublicKey): { kty: string; crv: string; x: string; y?: string } {
  if (type === 'Ed25519') return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') }
  const point = ECDH.convertKey(bytes, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer
  return { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33, 65) }
}

/** Algorithms of tokens that a key signs with. Source: RFC 7518, section 3.4; RFC 8037, section 3.1; RFC 9864. */
export const algorithmsOf = ({ type }: PublicKey): readonly string[] => type === 'Ed25519' ? ['EdDSA', 'Ed25519'] : ['ES256']
