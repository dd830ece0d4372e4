import { OutboundError, type Outbound, type OutboundReason } from '../../kernel/parts.ts'
import type { CheckReason } from './did-web.schema.ts'
import { methodsOf, type DidMethod } from './did.ts'

/** Media types of a DID document, as hosts answer them. */
export const documentTypes = [
  'application/did+json',
  'application/did+ld+json',
  'application/did',
  'application/ld+json',
  'application/json',
]
const limits = { most: 256 * 1024, patience: 5_000 }

/** What a check calls the end of a fetch that has no reason of its own there. */
const nearest: Partial<Record<OutboundReason, CheckReason>> = { redirects: 'http_status', unreachable: 'timeout' }

/** What a domain publishes: why it cannot be read, or null, and the ids of the keys that verifiers find there. */
export interface DomainLook { reason: CheckReason | null; published: string[] }

/** Looks which of these keys a domain publishes, as ones that may make assertions. */
export async function findPublished(
  outbound: Outbound, domain: string, keys: readonly { id: string; public_key: Uint8Array }[],
): Promise<DomainLook> {
  try {
    const { body } = await outbound.get(`https://${domain}/.well-known/did.json`, { types: documentTypes, ...limits })
    return publishedIn(body.toString('utf8'), domain, keys)
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return { reason: nearest[cause.reason] ?? (cause.reason as CheckReason), published: [] }
  }
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const members = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function publishedIn(
  text: string, domain: string, keys: readonly { id: string; public_key: Uint8Array }[],
): DomainLook {
  const document = parsed(text)
  if (!isObject(document)) return { reason: 'invalid_json', published: [] }
  if (document['id'] !== `did:web:${domain}`) return { reason: 'id_mismatch', published: [] }
  const found = keys.filter(({ public_key }) => isPublished(document, domain, public_key))
  return { reason: null, published: found.map(({ id }) => id) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The key is described under both names that signatures give it, and may make assertions under them. */
const isPublished = (document: Json, domain: string, publicKey: Uint8Array) =>
  methodsOf(domain, publicKey).every((method) => isOffered(document, method))

function isOffered(document: Json, { id, type, controller, publicKeyMultibase, publicKeyJwk }: DidMethod): boolean {
  const isIt = (value: unknown) => typeof value === 'string' && (value === id || `${controller}${value}` === id)
  const isKey = (method: Json) => {
    const jwk = method['publicKeyJwk']
    if (!publicKeyJwk) return method['publicKeyMultibase'] === publicKeyMultibase
    return isObject(jwk) && Object.entries(publicKeyJwk).every(([name, value]) => jwk[name] === value)
  }
  const describes = (method: unknown) =>
    isObject(method) && isIt(method['id']) && method['type'] === type && method['controller'] === controller && isKey(method)
  const asserting = members(document['assertionMethod'])
  return asserting.some(describes) || (asserting.some(isIt) && members(document['verificationMethod']).some(describes))
}
