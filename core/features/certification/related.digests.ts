import { hash, timingSafeEqual } from 'node:crypto'
import { base58Bytes } from './multikey.ts'

/** Digests that count, the strongest last, with their bytes. */
const lengths = { sha256: 32, 'sha3-256': 32, sha384: 48, 'sha3-384': 48, sha512: 64, 'sha3-512': 64 } as const
export type Algorithm = keyof typeof lengths

/** What a resource has to hash to; null where it is told with an algorithm that is not known here. */
export interface Digest { algorithm: Algorithm | null; value: Buffer }

/** Reckons a resource with an algorithm; null where that cannot be done. */
export type Reckon = (algorithm: Algorithm) => Buffer | null

/** The name of each algorithm in a multihash. Source: Controlled Identifiers 1.0, section 2.5; multicodec table. */
const multihashes = new Map<number, Algorithm>([
  [0x12, 'sha256'], [0x20, 'sha384'], [0x13, 'sha512'], [0x16, 'sha3-256'], [0x15, 'sha3-384'], [0x14, 'sha3-512'],
])

/** Texts of one resource, and characters of each. */
const most = { texts: 10, length: 1_000 }

const textsOf = (value: unknown): string[] | null => {
  const texts = Array.isArray(value) ? value : [value]
  const isText = (text: unknown) => typeof text === 'string' && text.length <= most.length
  return texts.length > 0 && texts.length <= most.texts && texts.every(isText) ? texts as string[] : null
}

/** What `digestSRI` says; null where it is malformed. Source: W3C Subresource Integrity, section 3.5. */
export function digestsOfSri(value: unknown): Digest[] | null {
  const expressions = textsOf(value)?.flatMap((text) => text.trim().split(/\s+/)) ?? ['']
  const digests = expressions.map((expression): Digest | null => {
    const [, algorithm, encoded = ''] = /^(sha256|sha384|sha512)-([\w+/-]+={0,2})(?:\?[!-~]*)?$/.exec(expression) ?? []
    const bytes = Buffer.from(encoded, 'base64')
    return isAlgorithm(algorithm) && bytes.length === lengths[algorithm] ? { algorithm, value: bytes } : null
  })
  return digests.every((digest) => digest !== null) ? digests : null
}

const isAlgorithm = (name: string | undefined): name is Algorithm => name !== undefined && Object.hasOwn(lengths, name)

/**
 * What `digestMultibase` says: multihashes in base58 or base64url; null where it is malformed.
 * Source: W3C Data Integrity 1.0, section 2.6; Controlled Identifiers 1.0, sections 2.4 and 2.5.
 */
export function digestsOfMultibase(value: unknown): Digest[] | null {
  const digests = (textsOf(value) ?? ['']).map((text) => {
    const bytes = multibaseBytes(text)
    return bytes && digestIn(bytes)
  })
  return digests.every((digest) => digest !== null) ? digests : null
}

function multibaseBytes(text: string): Buffer | null {
  if (/^u[\w-]+$/.test(text)) return Buffer.from(text.slice(1), 'base64url')
  // Decoding takes the square of the characters: more than any digest has are none.
  const bytes = base58Bytes(text, 120)
  return bytes && Buffer.from(bytes)
}

/** The algorithm, the length, and as many bytes. */
function digestIn(bytes: Buffer): Digest | null {
  const [code, from] = varint(bytes, 0)
  const [length, start] = varint(bytes, from)
  const value = bytes.subarray(start)
  const algorithm = multihashes.get(code) ?? null
  const isWhole = value.length > 0 && value.length === length
  return isWhole && (algorithm === null || lengths[algorithm] === length) ? { algorithm, value } : null
}

/** An unsigned number of seven bits a byte. @returns it, and where it ends; -1 for none */
function varint(bytes: Buffer, from: number): [value: number, end: number] {
  for (let [at, value] = [from, 0]; at < bytes.length && at < from + 4; at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (at - from))
    if (byte < 0x80) return [value, at + 1]
  }
  return [-1, bytes.length]
}

/** Reckons bytes. */
export const reckoned = (bytes: Uint8Array): Reckon => (algorithm) => hash(algorithm, bytes, 'buffer')

/**
 * Whether a resource is what one of the strongest of its digests says; null where none can be compared. The strongest
 * alone count, as in Subresource Integrity, section 3.3.4: a weaker one may be there for readers that know no better.
 */
export function fits(digests: readonly Digest[], reckon: Reckon): boolean | null {
  const known = digests.flatMap(({ algorithm, value }) => {
    const own = algorithm && reckon(algorithm)
    return own ? [{ strength: value.length, same: timingSafeEqual(own, value) }] : []
  })
  const strongest = Math.max(...known.map(({ strength }) => strength))
  return known.length === 0 ? null : known.some(({ strength, same }) => strength === strongest && same)
}
