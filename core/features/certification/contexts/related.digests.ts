import { hash, timingSafeEqual } from 'node:crypto'
import { decodeBase58 } from '../formats/index.ts'

/** Supported digest algorithms with their lengths in bytes, the strongest last. */
const digestLengths = { sha256: 32, 'sha3-256': 32, sha384: 48, 'sha3-384': 48, sha512: 64, 'sha3-512': 64 } as const
export type DigestAlgorithm = keyof typeof digestLengths

/** The digest that a resource must have; `algorithm` is null if the algorithm is not supported here. */
export interface Digest {
  algorithm: DigestAlgorithm | null
  value: Buffer
}

/** A function that computes the digest of one resource; null if it cannot compute this algorithm. */
export type DigestFunction = (algorithm: DigestAlgorithm) => Buffer | null

/** Algorithms by their multihash codes. Source: Controlled Identifiers 1.0, section 2.5; multicodec table. */
const multihashAlgorithms = new Map<number, DigestAlgorithm>([
  [0x12, 'sha256'],
  [0x20, 'sha384'],
  [0x13, 'sha512'],
  [0x16, 'sha3-256'],
  [0x15, 'sha3-384'],
  [0x14, 'sha3-512'],
])

/** Maximum number of digest texts of one resource, and of characters in each. */
const limits = { maxTexts: 10, maxTextLength: 1_000 }

const toTexts = (value: unknown): string[] | null => {
  const texts = Array.isArray(value) ? value : [value]
  const isText = (text: unknown) => typeof text === 'string' && text.length <= limits.maxTextLength
  return texts.length > 0 && texts.length <= limits.maxTexts && texts.every(isText) ? (texts as string[]) : null
}

/** Parses a `digestSRI`; returns null if it is malformed. Source: W3C Subresource Integrity, section 3.5. */
export function parseSriDigests(value: unknown): Digest[] | null {
  const expressions = toTexts(value)?.flatMap((text) => text.trim().split(/\s+/)) ?? ['']
  const digests = expressions.map((expression): Digest | null => {
    const [, algorithm, encoded = ''] = /^(sha256|sha384|sha512)-([\w+/-]+={0,2})(?:\?[!-~]*)?$/.exec(expression) ?? []
    const bytes = Buffer.from(encoded, 'base64')
    return isAlgorithm(algorithm) && bytes.length === digestLengths[algorithm] ? { algorithm, value: bytes } : null
  })
  return digests.every((digest) => digest !== null) ? digests : null
}

const isAlgorithm = (name: string | undefined): name is DigestAlgorithm =>
  name !== undefined && Object.hasOwn(digestLengths, name)

/**
 * Parses a `digestMultibase`: multihashes in base58 or base64url; returns null if it is malformed.
 * Source: W3C Data Integrity 1.0, section 2.6; Controlled Identifiers 1.0, sections 2.4 and 2.5.
 */
export function parseMultibaseDigests(value: unknown): Digest[] | null {
  const digests = (toTexts(value) ?? ['']).map((text) => {
    const bytes = decodeMultibase(text)
    return bytes && parseMultihash(bytes)
  })
  return digests.every((digest) => digest !== null) ? digests : null
}

function decodeMultibase(text: string): Buffer | null {
  if (/^u[\w-]+$/.test(text)) return Buffer.from(text.slice(1), 'base64url')
  // Decoding takes quadratic time, so a text longer than any digest is rejected.
  const bytes = decodeBase58(text, 120)
  return bytes && Buffer.from(bytes)
}

/** Parses a multihash: the code of the algorithm, the length, and that number of bytes. */
function parseMultihash(bytes: Buffer): Digest | null {
  const [code, from] = parseVarint(bytes, 0)
  const [length, start] = parseVarint(bytes, from)
  const value = bytes.subarray(start)
  const algorithm = multihashAlgorithms.get(code) ?? null
  const isWhole = value.length > 0 && value.length === length
  return isWhole && (algorithm === null || digestLengths[algorithm] === length) ? { algorithm, value } : null
}

/**
 * Parses an unsigned number with seven bits per byte.
 * @returns the number and the index after it; -1 if there is none
 */
function parseVarint(bytes: Buffer, from: number): [value: number, end: number] {
  for (let [at, value] = [from, 0]; at < bytes.length && at < from + 4; at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (at - from))
    if (byte < 0x80) return [value, at + 1]
  }
  return [-1, bytes.length]
}

/** Creates the digest function of these bytes. */
export const createDigestFunction =
  (bytes: Uint8Array): DigestFunction =>
  (algorithm) =>
    hash(algorithm, bytes, 'buffer')

/**
 * Checks whether a resource matches one of its strongest digests; returns null if no digest can be compared. Only the
 * strongest algorithm counts, as in Subresource Integrity, section 3.3.4: a weaker digest may be there for readers that
 * support no better one.
 */
export function matchDigests(digests: readonly Digest[], computeDigest: DigestFunction): boolean | null {
  const known = digests.flatMap(({ algorithm, value }) => {
    const own = algorithm && computeDigest(algorithm)
    return own ? [{ strength: value.length, same: timingSafeEqual(own, value) }] : []
  })
  const strongest = Math.max(...known.map(({ strength }) => strength))
  return known.length === 0 ? null : known.some(({ strength, same }) => strength === strongest && same)
}
