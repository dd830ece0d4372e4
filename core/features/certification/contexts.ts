import type { Knex } from 'knex'
import type { Violation } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { canonical, sha256Of } from './canonical.ts'
import type { CertifiedContent } from './content.ts'
import { productTerms, refusedTerms, takenTerms } from './contexts.terms.ts'
import { isUrl } from './model.values.ts'

/** A JSON-LD context under its hash. It never changes, as it has another address then. */
export interface ContextDocument { sha256: string; body: string }
/** That of one content. */
export interface OwnContext extends ContextDocument { open: boolean }

/** The most faults that are told. */
const mostTold = 100

/**
 * The context that maps the keys of the data, and those of what a product has beyond UNTP's, as a sheet's values and a
 * `gtin`, at every depth, to addresses below ours. Not mapped are the terms that contexts before it give a meaning to;
 * keys with a colon, which are addresses themselves; and keys with a slash, which no context can map but the one of
 * undefined terms. `open`: whether there are such.
 * @returns null where there is no key
 * Source: JSON-LD 1.1, section 4.1 and the algorithm "Create Term Definition".
 */
export function contextOf(content: CertifiedContent, baseUrl: string): OwnContext | null {
  const keys = ownKeys(content)
  if (keys.size === 0) return null
  const terms = [...keys].filter((key) => !takenTerms.has(key) && !/[:/]/.test(key))
  const mapping = Object.fromEntries(terms.map((key) => [key, `${baseUrl}/v1/dpp/contexts#${encodeURIComponent(key)}`]))
  const body = canonical({ '@context': mapping })
  return { sha256: sha256Of(body), body, open: [...keys].some((key) => key.includes('/') && !key.includes(':')) }
}

function ownKeys({ product, data }: CertifiedContent): ReadonlySet<string> {
  const found = keysOf(data)
  for (const [name, value] of Object.entries(product)) if (!productTerms.has(name)) keysOf(value, found.add(name))
  return found
}

/** Whether a context maps a term for all that it stands before. @param document as it is published, with `@context` */
export function mapsTerm(document: unknown, term: string): boolean {
  const contexts = [(document as { '@context'?: unknown } | null)?.['@context']].flat()
  return contexts.some((one) => typeof one === 'object' && one !== null && Object.hasOwn(one, term))
}

/** What answers where the keys of all contexts of ours stand below. Source: RDF Schema 1.1, sections 2.4 and 5.4. */
export const vocabularyText = (baseUrl: string): string => canonical({
  '@context': { rdfs: 'http://www.w3.org/2000/01/rdf-schema#', owl: 'http://www.w3.org/2002/07/owl#' },
  '@id': `${baseUrl}/v1/dpp/contexts`,
  '@type': 'owl:Ontology',
  'rdfs:label': 'Keys of certified data',
  'rdfs:comment': 'Each address below this one is a key of the characteristics of products as their issuers named it. What it '
    + 'means, the issuer of the credential says that has it.',
})

/** Where a context is read. */
export const contextAddress = ({ settings }: Context, sha256: string) => `${settings.baseUrl}/v1/dpp/contexts/${sha256}`

function keysOf(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) keysOf(item, found)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) keysOf(member, found.add(key))
  }
  return found
}

/**
 * What cannot be certified of the content, as it would mean something else to a reader of JSON-LD than to its writer:
 * names that begin with `@` (a `@context` would send verifiers elsewhere), names without a character, `id` and `type`
 * (which the core context reads as `@id` and `@type`) that are no text; a product's `id` that is no URL; names that only
 * one revision of UNTP's context has. Source: JSON-LD 1.1, sections 4.1 and 9.16; W3C Verifiable Credentials Data Model
 * 2.0, section 4.4.
 * @param refused names that the context of UNTP protects in the revision that is kept: `keptProtectedTerms`
 */
export function contentFaults({ product, data }: CertifiedContent, refused: ReadonlySet<string> = refusedTerms): Violation[] {
  const faults: Violation[] = []
  judge(product, 'product', refused, faults)
  judge(data, 'data', refused, faults)
  if (typeof product['id'] === 'string' && !isUrl(product['id'])) {
    faults.push({ path: 'product.id', code: 'not_certifiable', message: 'has to be an absolute URL, as it names the subject of the credential' })
  }
  return faults
}

function judge(value: unknown, path: string, refused: ReadonlySet<string>, faults: Violation[]): void {
  if (faults.length >= mostTold || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) return value.forEach((item, at) => judge(item, `${path}[${at}]`, refused, faults))
  for (const [key, member] of Object.entries(value)) {
    const message = refusedTerms.has(key) || refused.has(key) ? 'has a name that the context of UNTP protects' : faultOf(key, member)
    if (message !== null) faults.push({ path: `${path}.${key}`, code: 'not_certifiable', message })
    judge(member, `${path}.${key}`, refused, faults)
  }
}

function faultOf(key: string, value: unknown): string | null {
  if (key === '') return 'has no name'
  if (key.startsWith('@')) return 'has a name that is an instruction in JSON-LD'
  if (key === '__proto__') return 'has a name that readers take for something else'
  if (key === 'id' && typeof value !== 'string') return 'has to be text, as it names what it stands in'
  if (key === 'type' && !isText(value)) return 'has to be text, or a list of texts, as it is the type of what it stands in'
  return null
}

const isText = (value: unknown) =>
  typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'))

/** Keeps contexts; one that is known stays as it is. In the caller's transaction, in one statement. */
export async function keepContexts(trx: Knex, contexts: Iterable<ContextDocument>): Promise<void> {
  const kept = [...contexts].sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1))
  if (kept.length === 0) return
  await trx.raw(
    `insert into credential_contexts (sha256, body) select * from unnest(?::text[], ?::text[]) on conflict (sha256) do nothing`,
    [kept.map(({ sha256 }) => sha256), kept.map(({ body }) => body)])
}

/** The text of a context, undefined where there is none. */
export async function readContext(db: Knex, sha256: string): Promise<string | undefined> {
  const row = await db('credential_contexts').where({ sha256 }).first<{ body: string } | undefined>('body')
  return row?.body
}

/** The text of a context of somebody else that is kept by its address; undefined where none is. @param address of anyone's wording */
export async function keptContext(db: Knex, address: string): Promise<string | undefined> {
  if (!/^https?:[!-~]+$/.test(address)) return undefined
  const row = await db('credential_contexts').where({ address }).first<{ body: string } | undefined>('body')
  return row?.body
}

/** Keeps a context of somebody else by its address, in the caller's transaction; what was kept of it before has to go by its hash alone. */
export async function keepForeignContext(trx: Knex, address: string, body: string): Promise<void> {
  const sha256 = sha256Of(body)
  await trx('credential_contexts').where({ address }).whereNot({ sha256 }).update({ address: null })
  await trx.raw(
    `insert into credential_contexts (sha256, body, address) values (?, ?, ?)
     on conflict (sha256) do update set address = excluded.address`, [sha256, body, address])
}
