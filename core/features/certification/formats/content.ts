import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isObject } from '../../../kernel/json/values.ts'

/**
 * The content that a credential certifies about a product. `product` may have an `id`, which names the subject and is
 * not certified; `data` may be empty.
 */
export interface CertifiedContent {
  product: Record<string, unknown>
  data: Record<string, unknown>
}

/** Members of a credential's subject that do not belong to its product. */
const subjectMembers = new Set(['id', 'type', 'characteristics'])

/**
 * Computes the hash that goes on chain: `0x` and the SHA-256 of `{product, data}` in JCS, with the product's `id` left
 * out.
 * @throws TypeError for content without canonical text
 */
export function hashContent({ product, data }: CertifiedContent): string {
  return `0x${toSha256Hex(toCanonicalJson({ product: omitMembers(product, (name) => name === 'id'), data }))}`
}

/** Reads the certified content from a credential's subject. @returns null if the subject is no product */
export function parseCertifiedContent(credential: unknown): CertifiedContent | null {
  const subject = isObject(credential) ? credential['credentialSubject'] : null
  if (!isObject(subject)) return null
  const { characteristics = {} } = subject
  return isObject(characteristics)
    ? { product: omitMembers(subject, (name) => subjectMembers.has(name)), data: characteristics }
    : null
}

/**
 * Returns a copy without the omitted members. `Object.fromEntries` keeps a name like `__proto__` as an ordinary member.
 */
const omitMembers = (value: Record<string, unknown>, isOmitted: (name: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !isOmitted(name)))

/**
 * Converts a JSON value to its canonical text. Source: RFC 8785 (JCS).
 * @throws TypeError for a value without canonical text: a number out of range, half of a surrogate pair, a cycle, or no
 * JSON
 */
export function toCanonicalJson(value: unknown): string {
  const text = canonicalizeValue(value)
  if (text === undefined) throw new TypeError('The value is no JSON')
  return text
}

function canonicalizeValue(value: unknown): string | undefined {
  try {
    return canonicalize(value)
  } catch (cause) {
    throw new TypeError('The value has no canonical spelling', { cause })
  }
}

/** Computes the SHA-256 in small hexadecimal digits. */
export const toSha256Hex = (text: string | Uint8Array): string => hash('sha256', text, 'hex')
