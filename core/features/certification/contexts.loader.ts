import type { Knex } from 'knex'
import { parseStrictly } from '../../kernel/json.ts'
import type { Context } from '../../kernel/work.ts'
import { packaged } from './contexts.packaged.ts'
import { publishedContext } from './contexts.published.ts'
import { contextAddress, keptContext, readContext } from './contexts.ts'
import { reckoned, type Reckon } from './related.digests.ts'
import { Doubt, isObject } from './verify.doubt.ts'
import type { Reach } from './verify.reach.ts'

/** What the processor of JSON-LD takes for a document. Source: JSON-LD 1.1 API, section 9.4. */
export interface LoadedContext { contextUrl: null; documentUrl: string; document: object }
export type ContextLoader = (url: string) => Promise<LoadedContext>

/** Bytes of a context of somebody else. */
const mostContext = 1024 * 1024
const types = ['application/ld+json', 'application/json']

/** Contexts of others that the process remembers, and for how many milliseconds. */
const remembered = { most: 50, time: 60 * 60 * 1000 }
const known = new Map<string, ForeignContext & { until: number }>()

/** A context with its bytes. */
export interface ForeignContext { document: object; body: Buffer }

/**
 * Loads contexts: those of W3C from packages, ours and kept ones of others from the database, the rest by guarded fetch,
 * which a process remembers for an hour. @throws Doubt where one cannot be had
 */
export function contextLoader(reach: Reach): ContextLoader {
  const own = contextAddress(reach.context, '')
  return loaderOf(async (url) => (url.startsWith(own) ? ofOurs(reach, url.slice(own.length)) : (await foreignContext(reach, url)).document))
}

/** Loads the contexts of credentials of our own and asks no other host: those of others have to be kept. @throws Doubt where one is not */
export function keptContextLoader(db: Knex, context: Context): ContextLoader {
  const own = contextAddress(context, '')
  return loaderOf(async (url) => {
    const body = await (url.startsWith(own) ? readContext(db, url.slice(own.length)) : keptContext(db, url))
    const document = body === undefined ? undefined : parseStrictly(Buffer.from(body))
    if (!isObject(document)) throw new Doubt(`The context ${url} is not kept here`)
    return document
  })
}

/** Loads contexts that are in packages, or given one by one, each once. The document and its proof are expanded at the same time. */
export function loaderOf(load: (url: string) => Promise<object>): ContextLoader {
  const loading = new Map<string, Promise<object>>()
  return async (url) => {
    const document = loading.get(url) ?? packaged(url).then((found) => found ?? load(url))
    loading.set(url, document)
    return { contextUrl: null, documentUrl: url, document: await document }
  }
}

/**
 * How a context hashes that a credential names: W3C's as they are published, ours as they are served, others as they
 * were loaded. @throws Doubt where it cannot be had
 */
export async function contextDigests(reach: Reach, url: string): Promise<Reckon> {
  return (await localDigests(reach.context, url)) ?? reckoned((await foreignContext(reach, url)).body)
}

/** How a resource hashes that is known here without asking anyone; undefined for any other. */
export async function localDigests(context: Context, url: string): Promise<Reckon | undefined> {
  const [own, published] = [contextAddress(context, ''), publishedContext(url)]
  if (published || !url.startsWith(own)) return published
  const body = await ownContext(context, url.slice(own.length))
  return body === undefined ? undefined : reckoned(Buffer.from(body))
}

const ownContext = async ({ db }: Context, sha256: string) => (/^[0-9a-f]{64}$/.test(sha256) ? readContext(db, sha256) : undefined)

async function ofOurs({ context }: Reach, sha256: string): Promise<object> {
  const body = await ownContext(context, sha256)
  if (body === undefined) throw new Doubt('It names a context of this installation that is not there')
  return JSON.parse(body) as object
}

/** A context of somebody else: as it is kept, as the process remembers it, or as its host gives it. @throws Doubt */
export async function foreignContext(reach: Reach, url: string): Promise<ForeignContext> {
  const now = performance.now()
  const found = known.get(url)
  if (found && found.until > now) return found
  const stored = await keptContext(reach.context.db, url)
  const loaded = { until: now + remembered.time, ...(stored === undefined ? await fetchContext(reach, url) : contextIn(Buffer.from(stored), url)) }
  known.delete(url)
  const [oldest] = known.keys()
  if (known.size >= remembered.most && oldest !== undefined) known.delete(oldest)
  known.set(url, loaded)
  return loaded
}

/** A context as its host gives it now. @throws Doubt */
export async function fetchContext(reach: Reach, url: string): Promise<ForeignContext> {
  const { body } = await reach.get(`The context ${url}`, url, types, mostContext)
  return contextIn(body, url)
}

function contextIn(body: Buffer, url: string): ForeignContext {
  const document = parseStrictly(body)
  if (!isObject(document)) throw new Doubt(`The context ${url} is no JSON object`)
  return { document, body }
}
