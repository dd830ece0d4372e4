import type { JSONWebKeySet } from 'jose'
import { LRUCache } from 'lru-cache'
import { OutboundError, type Outbound, type OutboundOptions } from '../../../kernel/ports/outbound.ts'
import { ProviderSignInError } from './failures.ts'
import type { Provider } from './providers.ts'

/** What a provider says about itself. Source: OpenID Connect Discovery 1.0, section 3. */
export interface ProviderDocument {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
}

/** Limits of a fetch from a provider. A person waits for each. */
export const providerFetch = {
  mediaTypes: ['application/json'],
  maxBytes: 256 * 1024,
  timeoutMs: 5_000,
} as const satisfies OutboundOptions

/** How long a document is kept in this process, in milliseconds, and how many are. */
const cacheMs = 10 * 60_000
const maxCachedDocuments = 1_000

const caches = new WeakMap<Outbound, LRUCache<string, Promise<unknown>>>()

/**
 * Reads the document of a provider, which is kept for 10 minutes. @throws ProviderSignInError `unavailable` if it cannot
 * be read, `refused` if it is not about this issuer, or names an address that is not https
 */
export async function readProviderDocument(outbound: Outbound, { issuer }: Provider): Promise<ProviderDocument> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = (await readCached(outbound, address)) as Partial<ProviderDocument> | null
  const { authorization_endpoint, token_endpoint, jwks_uri } = document ?? {}
  if (document?.issuer !== issuer) throw new ProviderSignInError('refused', `${address} is about another issuer`)
  if (!isAddress(authorization_endpoint) || !isAddress(token_endpoint) || !isAddress(jwks_uri))
    throw new ProviderSignInError('refused', `${address} lacks an https address`)
  return { issuer, authorization_endpoint, token_endpoint, jwks_uri }
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && URL.parse(value)?.protocol === 'https:'

/**
 * Reads the public keys of a provider, which are kept for 10 minutes.
 * @param isRenewed whether they are fetched again, because a token names a key that is not among them
 * @throws ProviderSignInError `unavailable`, `refused`
 */
export async function readProviderKeys(
  outbound: Outbound,
  { jwks_uri: address }: ProviderDocument,
  isRenewed: boolean,
): Promise<JSONWebKeySet> {
  if (isRenewed) getCache(outbound).delete(address)
  const keys = (await readCached(outbound, address)) as Partial<JSONWebKeySet> | null
  if (!Array.isArray(keys?.keys)) throw new ProviderSignInError('refused', `${address} is no set of keys`)
  return { keys: keys.keys }
}

function getCache(outbound: Outbound): LRUCache<string, Promise<unknown>> {
  let cache = caches.get(outbound)
  if (!cache) caches.set(outbound, (cache = new LRUCache({ max: maxCachedDocuments, ttl: cacheMs })))
  return cache
}

/** Reads a JSON document once for all who ask at the same time. A failure is not kept. */
function readCached(outbound: Outbound, address: string): Promise<unknown> {
  const cache = getCache(outbound)
  const cached = cache.get(address)
  if (cached) return cached
  const fetched = fetchJson(outbound, address)
  cache.set(address, fetched)
  fetched.catch(() => {
    if (cache.peek(address) === fetched) cache.delete(address)
  })
  return fetched
}

async function fetchJson(outbound: Outbound, address: string): Promise<unknown> {
  try {
    const { body } = await outbound.get(address, { ...providerFetch, sameOrigin: true })
    return parseProviderJson(body)
  } catch (cause) {
    throw cause instanceof OutboundError
      ? new ProviderSignInError('unavailable', `${address} was not read`, { cause })
      : cause
  }
}

/** Parses an answer of a provider. @throws ProviderSignInError `refused` */
export function parseProviderJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new ProviderSignInError('refused', 'the provider answered no JSON', { cause })
  }
}
