import { isObject, parseJson } from '../../../kernel/json/values.ts'
import { OutboundError, type Outbound, type OutboundReason } from '../../../kernel/ports/outbound.ts'
import type { CheckReason } from '../rotation/index.ts'
import { createVerificationMethods, type DidVerificationMethod } from '../keys/index.ts'

/** Media types with which hosts serve DID documents. */
export const didDocumentMediaTypes = [
  'application/did+json',
  'application/did+ld+json',
  'application/did',
  'application/ld+json',
  'application/json',
]
const documentFetchLimits = { maxBytes: 256 * 1024, timeoutMs: 5_000 }

/** Check reasons for the failures of a fetch that have no check reason of their own. */
const replacementReasons: Partial<Record<OutboundReason, CheckReason>> = {
  redirects: 'http_status',
  unreachable: 'timeout',
}

/**
 * The keys that verifiers find at a domain, by their ids; `reason` says why the document cannot be read, or is null.
 */
export interface PublishedKeysResult {
  reason: CheckReason | null
  published: string[]
}

/** Checks which of these keys a domain publishes for assertions. */
export async function checkPublishedKeys(
  outbound: Outbound,
  domain: string,
  keys: readonly { id: string; public_key: Uint8Array }[],
): Promise<PublishedKeysResult> {
  try {
    const { body } = await outbound.get(`https://${domain}/.well-known/did.json`, {
      mediaTypes: didDocumentMediaTypes,
      ...documentFetchLimits,
    })
    return findPublishedKeys(body.toString('utf8'), domain, keys)
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return { reason: replacementReasons[cause.reason] ?? (cause.reason as CheckReason), published: [] }
  }
}

type JsonObject = Record<string, unknown>

const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function findPublishedKeys(
  text: string,
  domain: string,
  keys: readonly { id: string; public_key: Uint8Array }[],
): PublishedKeysResult {
  const document = parseJson(text)
  if (!isObject(document)) return { reason: 'invalid_json', published: [] }
  if (document['id'] !== `did:web:${domain}`) return { reason: 'id_mismatch', published: [] }
  const found = keys.filter(({ public_key }) => isKeyPublished(document, domain, public_key))
  return { reason: null, published: found.map(({ id }) => id) }
}

/**
 * Checks whether the document offers the key for assertions under both of its names: that of proofs and that of tokens.
 */
const isKeyPublished = (document: JsonObject, domain: string, publicKey: Uint8Array) =>
  createVerificationMethods(domain, publicKey).every((method) => isMethodOffered(document, method))

function isMethodOffered(
  document: JsonObject,
  { id, type, controller, publicKeyMultibase, publicKeyJwk }: DidVerificationMethod,
): boolean {
  const isMethodId = (value: unknown) => typeof value === 'string' && (value === id || `${controller}${value}` === id)
  const isKey = (method: JsonObject) => {
    const jwk = method['publicKeyJwk']
    if (!publicKeyJwk) return method['publicKeyMultibase'] === publicKeyMultibase
    return isObject(jwk) && Object.entries(publicKeyJwk).every(([name, value]) => jwk[name] === value)
  }
  const isSameMethod = (method: unknown) =>
    isObject(method)
    && isMethodId(method['id'])
    && method['type'] === type
    && method['controller'] === controller
    && isKey(method)
  const assertionMethods = toArray(document['assertionMethod'])
  return (
    assertionMethods.some(isSameMethod)
    || (assertionMethods.some(isMethodId) && toArray(document['verificationMethod']).some(isSameMethod))
  )
}
