import { canonical, sha256Of } from './canonical.ts'

/**
 * What a credential says of a product. `product` may have an `id`, which names the subject and is no part of what is
 * certified; `data` is empty where there is none.
 */
export interface CertifiedContent { product: Record<string, unknown>; data: Record<string, unknown> }

/** Members of a subject that are not of its product. */
const ownMembers = new Set(['id', 'type', 'characteristics'])

/**
 * `0x` and the SHA-256 of `{product, data}` in JCS, the product without its `id`: the hash that goes on chain.
 * @throws TypeError for what has no canonical spelling
 */
export function contentHash({ product, data }: CertifiedContent): string {
  return `0x${sha256Of(canonical({ product: without(product, (name) => name === 'id'), data }))}`
}

/** What a credential certifies, read back from its subject. @returns null where that is no subject of a product */
export function contentOf(credential: unknown): CertifiedContent | null {
  const subject = isObject(credential) ? credential['credentialSubject'] : null
  if (!isObject(subject)) return null
  const { characteristics = {} } = subject
  return isObject(characteristics) ? { product: without(subject, (name) => ownMembers.has(name)), data: characteristics } : null
}

/** Keeps names like `__proto__` members of their own. */
const without = (value: Record<string, unknown>, drops: (name: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !drops(name)))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
