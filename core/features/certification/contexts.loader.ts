import { parseStrictly } from '../../kernel/json.ts'
import { contextAddress, readContext } from './contexts.ts'
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
const known = new Map<string, { until: number; document: object }>()

/**
 * Loads contexts: that of W3C from its package, ours from the database, others by guarded fetch, which a process
 * remembers for an hour. @throws Doubt where one cannot be had
 */
export function contextLoader(reach: Reach): ContextLoader {
  const own = contextAddress(reach.context, '')
  // The document and its proof are expanded at the same time, with the same contexts.
  const loading = new Map<string, Promise<object>>()
  const load = async (url: string) =>
    (await packaged(url)) ?? (url.startsWith(own) ? ofOurs(reach, url.slice(own.length)) : ofOthers(reach, url))
  return async (url) => {
    const document = loading.get(url) ?? load(url)
    loading.set(url, document)
    return { contextUrl: null, documentUrl: url, document: await document }
  }
}

const packaged = async (url: string) => (await import('@digitalbazaar/credentials-context')).contexts.get(url)

async function ofOurs({ context: { db } }: Reach, sha256: string): Promise<object> {
  const body = /^[0-9a-f]{64}$/.test(sha256) ? await readContext(db, sha256) : undefined
  if (body === undefined) throw new Doubt('It names a context of this installation that is not there')
  return JSON.parse(body) as object
}

async function ofOthers(reach: Reach, url: string): Promise<object> {
  const now = Date.now()
  const kept = known.get(url)
  if (kept && kept.until > now) return kept.document
  const { body } = await reach.get(`The context ${url}`, url, types, mostContext)
  const document = parseStrictly(body)
  if (!isObject(document)) throw new Doubt(`The context ${url} is no JSON object`)
  known.delete(url)
  const [oldest] = known.keys()
  if (known.size >= remembered.most && oldest !== undefined) known.delete(oldest)
  known.set(url, { until: now + remembered.time, document })
  return document
}
