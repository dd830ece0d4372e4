import { ECDH } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import { decodeBase64url } from '../../../kernel/text/base64url.ts'
import { decodeBase58, type JsonObject, toMultikey, VerificationError } from '../formats/index.ts'

/** A public key of a supported type: Ed25519 as 32 bytes, P-256 as its compressed point of 33 bytes. */
export interface PublicKey {
  type: 'Ed25519' | 'P-256'
  bytes: Uint8Array
}

/** Maximum length of a Multikey: an RSA key of 4,096 bits fits, and decoding takes quadratic time. */
const maxMultikeyLength = 1_024

/** Codes of key types as unsigned varints. Source: multicodec table. */
const codecs = { ed25519: [0xed, 0x01], p256: [0x80, 0x24], x25519: [0xec, 0x01] } as const

/**
 * Parses a Multikey, `z6Mk…` or `zDn…`.
 * @throws VerificationError if it is no Multikey in its canonical spelling; with `unknown` for a key of an unsupported
 * type
 * Source: W3C Controlled Identifiers, section 2.2.2
 */
export function parseMultikey(multikey: string): PublicKey {
  const decoded = decodeBase58(multikey, maxMultikeyLength)
  if (decoded === null || base58btc.encode(decoded) !== multikey)
    throw new VerificationError('The key is no Multikey in base58btc')
  if (hasPrefix(decoded, codecs.ed25519)) return createEd25519Key(decoded.subarray(2))
  // A Multikey contains the compressed point.
  if (hasPrefix(decoded, codecs.p256))
    return createP256Key(decoded.length === 35 ? decoded.subarray(2) : new Uint8Array())
  if (hasPrefix(decoded, codecs.x25519)) throw createKeyAgreementError()
  // A code has one to nine bytes, and only the last byte is below 128; the key follows it.
  const end = decoded.findIndex((byte) => byte < 0x80)
  if (end < 0 || end > 8 || decoded.length - end < 17)
    throw new VerificationError('The key is no Multikey: no key stands behind its code')
  throw createUnsupportedKeyError(`of the code 0x${Buffer.from(decoded.subarray(0, end + 1)).toString('hex')}`)
}

const hasPrefix = (bytes: Uint8Array, codec: readonly number[]) => codec.every((byte, at) => bytes[at] === byte)

const createUnsupportedKeyError = (which: string) =>
  new VerificationError(`The key is ${which}, a type that is not supported here: Ed25519 and P-256 are`, {
    unknown: true,
  })

const createKeyAgreementError = () => new VerificationError('The key is for agreeing on keys, not for signatures')

function createEd25519Key(bytes: Uint8Array): PublicKey {
  if (bytes.length !== 32) throw new VerificationError('The key is no Ed25519 key')
  return { type: 'Ed25519', bytes }
}

/** Creates a key from a point in either form of SEC 1. @throws VerificationError if the point is not on the curve */
function createP256Key(point: Uint8Array): PublicKey {
  try {
    return { type: 'P-256', bytes: ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed') as Buffer }
  } catch (cause) {
    throw new VerificationError('The key is no P-256 key', { cause })
  }
}

/**
 * Parses a JWK.
 * @throws VerificationError if it is no JWK, contains the private key or is not for signatures; with `unknown` for a
 * key of an unsupported type
 * Source: RFC 7517, sections 4.2 and 4.4; RFC 7518, section 6.2; RFC 8037, section 2
 */
export function parseJwk(jwk: JsonObject): PublicKey {
  const { kty, crv, d, k, use } = jwk
  if (d !== undefined || k !== undefined) {
    throw new VerificationError('The DID document shows the private half of the key: anyone can sign with it')
  }
  if (typeof kty !== 'string') throw new VerificationError('The key is no JWK: it names no type')
  if (use !== undefined && use !== 'sig') throw new VerificationError('The key is not for signatures')
  if (kty === 'OKP' && crv === 'Ed25519') return parseEd25519Jwk(jwk)
  if (kty === 'EC' && crv === 'P-256') return parseP256Jwk(jwk)
  if (crv === 'X25519' || crv === 'X448') throw createKeyAgreementError()
  throw createUnsupportedKeyError(crv === undefined ? kty : `${kty} ${String(crv)}`)
}

function parseEd25519Jwk({ x, alg }: JsonObject): PublicKey {
  const bytes = decodeCoordinate(x)
  if (bytes.length !== 32) throw new VerificationError('The key is no Ed25519 key')
  assertAlgorithm(alg, ['EdDSA', 'Ed25519'])
  return { type: 'Ed25519', bytes }
}

function parseP256Jwk({ x, y, alg }: JsonObject): PublicKey {
  const [first, second] = [decodeCoordinate(x), decodeCoordinate(y)]
  if (first.length !== 32 || second.length !== 32) throw new VerificationError('The key is no P-256 key')
  assertAlgorithm(alg, ['ES256'])
  return createP256Key(Buffer.concat([Uint8Array.of(4), first, second]))
}

function assertAlgorithm(alg: unknown, algorithms: readonly string[]): void {
  if (alg !== undefined && !algorithms.some((one) => one === alg))
    throw new VerificationError(`The key is not for signatures with ${algorithms[0]}`)
}

/** Decodes a coordinate of a JWK; returns no bytes if it is not base64url in its canonical spelling. */
const decodeCoordinate = (value: unknown): Buffer =>
  (typeof value === 'string' ? decodeBase64url(value) : null) ?? Buffer.alloc(0)

/** Formats a key as a Multikey. Source: W3C Controlled Identifiers, section 2.2.2. */
export const formatMultikey = ({ type, bytes }: PublicKey): string =>
  type === 'Ed25519' ? toMultikey(bytes) : base58btc.encode(Buffer.concat([Uint8Array.from(codecs.p256), bytes]))

/** Converts a key to a JWK for JOSE libraries. Source: RFC 7518, section 6.2; RFC 8037, section 2. */
export function toJoseKey({ type, bytes }: PublicKey): { kty: string; crv: string; x: string; y?: string } {
  if (type === 'Ed25519') return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') }
  const point = ECDH.convertKey(bytes, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer
  return { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33, 65) }
}

/** Returns the token algorithms of a key. Source: RFC 7518, section 3.4; RFC 8037, section 3.1; RFC 9864. */
export const getAlgorithms = ({ type }: PublicKey): readonly string[] =>
  type === 'Ed25519' ? ['EdDSA', 'Ed25519'] : ['ES256']
