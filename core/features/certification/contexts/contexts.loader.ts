import type { Knex } from 'knex'
import { parseStrictJson } from '../../../kernel/json/json.ts'
import { createRecentCache } from '../../../kernel/process/recent-cache.ts'
import type { Context } from '../../../kernel/work.ts'
import { findPackagedContext } from './contexts.packaged.ts'
import { findPublishedDigestFunction } from './contexts.published.ts'
import { getContextAddress, findForeignContextBody, findContextBody } from './contexts.ts'
import { createDigestFunction, type DigestFunction } from './related.digests.ts'
import { isObject, VerificationError } from '../formats/index.ts'
import type { VerificationFetcher } from './verify.fetcher.ts'

/** A context in the form that the JSON-LD processor expects. Source: JSON-LD 1.1 API, section 9.4. */
export interface LoadedContext {
  contextUrl: null
  documentUrl: string
  document: object
}
export type ContextLoader = (url: string) => Promise<LoadedContext>

/** Maximum size of a foreign context, in bytes. */
const maxContextBytes = 1024 * 1024
const contextMediaTypes = ['application/ld+json', 'application/json']

/** Limits of the process's cache of foreign contexts: how many, and for how many milliseconds. */
const contextCacheLimits = { maxContexts: 50, lifetimeMs: 60 * 60 * 1000 }
const contextCache = createRecentCache<ForeignContext>(contextCacheLimits.maxContexts, contextCacheLimits.lifetimeMs)

/** A context of another publisher, with its bytes. */
export interface ForeignContext {
  document: object
  body: Buffer
}

/**
 * Creates a loader of contexts. It takes contexts of W3C from packages, our own and stored foreign ones from the
 * database, and fetches the others with the guarded client; the process caches these for an hour. The loader throws a
 * `VerificationError` if a context cannot be loaded.
 */
export function createContextLoader(fetcher: VerificationFetcher): ContextLoader {
  const own = getContextAddress(fetcher.context, '')
  return createCachingContextLoader(async (url) =>
    url.startsWith(own)
      ? loadOwnContext(fetcher, url.slice(own.length))
      : (await loadForeignContext(fetcher, url)).document,
  )
}

/**
 * Creates a loader of the contexts of our own credentials. It contacts no other host, so foreign contexts must be
 * stored here. The loader throws a `VerificationError` if one is not.
 */
export function createStoredContextLoader(db: Knex, context: Context): ContextLoader {
  const own = getContextAddress(context, '')
  return createCachingContextLoader(async (url) => {
    const body = await (url.startsWith(own)
      ? findContextBody(db, url.slice(own.length))
      : findForeignContextBody(db, url))
    const document = body === undefined ? undefined : parseStrictJson(Buffer.from(body))
    if (!isObject(document)) throw new VerificationError(`The context ${url} is not kept here`)
    return document
  })
}

/**
 * Creates a loader that loads each context once, from the packages or else with `load`. A document and its proof, which
 * are expanded at the same time, share the result.
 */
export function createCachingContextLoader(load: (url: string) => Promise<object>): ContextLoader {
  const loading = new Map<string, Promise<object>>()
  return async (url) => {
    const document = loading.get(url) ?? findPackagedContext(url).then((found) => found ?? load(url))
    loading.set(url, document)
    return { contextUrl: null, documentUrl: url, document: await document }
  }
}

/**
 * Returns the digest function of a context that a credential names. Digests cover a context of W3C as W3C publishes it,
 * our own as we serve it, and any other as it was loaded.
 * @throws VerificationError if it cannot be loaded
 */
export async function loadContextDigestFunction(fetcher: VerificationFetcher, url: string): Promise<DigestFunction> {
  return (
    (await findLocalDigestFunction(fetcher.context, url))
    ?? createDigestFunction((await loadForeignContext(fetcher, url)).body)
  )
}

/**
 * Returns the digest function of a resource that is known here without a request to another host; undefined for any
 * other.
 */
export async function findLocalDigestFunction(context: Context, url: string): Promise<DigestFunction | undefined> {
  const [own, published] = [getContextAddress(context, ''), findPublishedDigestFunction(url)]
  if (published || !url.startsWith(own)) return published
  const body = await findOwnContextBody(context, url.slice(own.length))
  return body === undefined ? undefined : createDigestFunction(Buffer.from(body))
}

const findOwnContextBody = async ({ db }: Context, sha256: string) =>
  /^[0-9a-f]{64}$/.test(sha256) ? findContextBody(db, sha256) : undefined

async function loadOwnContext({ context }: VerificationFetcher, sha256: string): Promise<object> {
  const body = await findOwnContextBody(context, sha256)
  if (body === undefined) throw new VerificationError('It names a context of this installation that is not there')
  return JSON.parse(body) as object
}

/** Loads a foreign context from the cache, from the database or from its host. @throws VerificationError */
export async function loadForeignContext(fetcher: VerificationFetcher, url: string): Promise<ForeignContext> {
  const cached = contextCache.get(url)
  if (cached) return cached
  const stored = await findForeignContextBody(fetcher.context.db, url)
  const loaded = stored === undefined ? await fetchContext(fetcher, url) : parseContext(Buffer.from(stored), url)
  contextCache.set(url, loaded)
  return loaded
}

/** Fetches the current version of a context from its host. @throws VerificationError */
export async function fetchContext(fetcher: VerificationFetcher, url: string): Promise<ForeignContext> {
  const { body } = await fetcher.get(`The context ${url}`, url, contextMediaTypes, maxContextBytes)
  return parseContext(body, url)
}

function parseContext(body: Buffer, url: string): ForeignContext {
  const document = parseStrictJson(body)
  if (!isObject(document)) throw new VerificationError(`The context ${url} is no JSON object`)
  return { document, body }
}
