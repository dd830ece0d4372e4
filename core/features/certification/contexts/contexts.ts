import type { Knex } from 'knex'
import type { Issue } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { type CertifiedContent, isUrl, toCanonicalJson, toSha256Hex } from '../formats/index.ts'
import { productTerms, ambiguousTerms, predefinedTerms } from './contexts.terms.ts'

/** A JSON-LD context with its hash, which is part of its address; so the context at an address never changes. */
export interface ContextDocument {
  sha256: string
  body: string
}
/**
 * The context that maps the keys of one content. `hasUnmappableKeys` is true if the content has keys that no context of
 * ours can map.
 */
export interface OwnContext extends ContextDocument {
  hasUnmappableKeys: boolean
}

/** Maximum number of issues that are reported. */
const maxIssues = 100

/**
 * Creates the context that maps the keys of the data at every depth to addresses below ours. It also maps the members
 * of the product that UNTP does not know, such as a sheet's values and `gtin`, with the keys inside of them. It does
 * not map terms that earlier contexts map, keys with a colon (these are addresses themselves) and keys with a slash
 * (only the context of undefined terms can map these).
 * @returns null if there is no key
 * Source: JSON-LD 1.1, section 4.1 and the algorithm "Create Term Definition".
 */
export function createContextDocument(content: CertifiedContent, baseUrl: string): OwnContext | null {
  const keys = getContentKeys(content)
  if (keys.size === 0) return null
  const terms = [...keys].filter((key) => !predefinedTerms.has(key) && !/[:/]/.test(key))
  const mapping = Object.fromEntries(terms.map((key) => [key, `${baseUrl}/v1/dpp/contexts#${encodeURIComponent(key)}`]))
  const body = toCanonicalJson({ '@context': mapping })
  return {
    sha256: toSha256Hex(body),
    body,
    hasUnmappableKeys: [...keys].some((key) => key.includes('/') && !key.includes(':')),
  }
}

function getContentKeys({ product, data }: CertifiedContent): ReadonlySet<string> {
  const found = collectKeys(data)
  for (const [name, value] of Object.entries(product)) if (!productTerms.has(name)) collectKeys(value, found.add(name))
  return found
}

/**
 * Checks whether a context maps a term on its top level.
 * @param document the context as it is published, with `@context`
 */
export function isTermMapped(document: unknown, term: string): boolean {
  const contexts = [(document as { '@context'?: unknown } | null)?.['@context']].flat()
  return contexts.some((one) => typeof one === 'object' && one !== null && Object.hasOwn(one, term))
}

/**
 * Formats the document at the address below which the keys of all our contexts lie. Source: RDF Schema 1.1, sections
 * 2.4 and 5.4.
 */
export const formatVocabulary = (baseUrl: string): string =>
  toCanonicalJson({
    '@context': { rdfs: 'http://www.w3.org/2000/01/rdf-schema#', owl: 'http://www.w3.org/2002/07/owl#' },
    '@id': `${baseUrl}/v1/dpp/contexts`,
    '@type': 'owl:Ontology',
    'rdfs:label': 'Keys of certified data',
    'rdfs:comment':
      'Each address below this one is a key of the characteristics of products as their issuers named it. What it '
      + 'means, the issuer of the credential says that has it.',
  })

/** Returns the public address of one of our contexts. */
export const getContextAddress = ({ settings }: Context, sha256: string) =>
  `${settings.baseUrl}/v1/dpp/contexts/${sha256}`

function collectKeys(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) collectKeys(item, found)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) collectKeys(member, found.add(key))
  }
  return found
}

/**
 * Finds what cannot be certified, because it would mean something else to a reader of JSON-LD than to its writer:
 * - names that begin with `@` (a `@context` would send verifiers elsewhere) and empty names;
 * - values of `id` and `type` that are no text (the base context reads these members as `@id` and `@type`);
 * - an `id` of a product that is no URL;
 * - names that only one revision of UNTP's context maps.
 * Source: JSON-LD 1.1, sections 4.1 and 9.16; W3C Verifiable Credentials Data Model 2.0, section 4.4.
 * @param forbiddenTerms names that the stored revision of UNTP's context protects, from `readProtectedTerms`
 */
export function validateCertifiedContent(
  { product, data }: CertifiedContent,
  forbiddenTerms: ReadonlySet<string> = ambiguousTerms,
): Issue[] {
  const issues: Issue[] = []
  validateValue(product, 'product', forbiddenTerms, issues)
  validateValue(data, 'data', forbiddenTerms, issues)
  if (typeof product['id'] === 'string' && !isUrl(product['id'])) {
    issues.push({
      path: 'product.id',
      code: 'not_certifiable',
      message: 'has to be an absolute URL, as it names the subject of the credential',
    })
  }
  return issues
}

function validateValue(value: unknown, path: string, forbiddenTerms: ReadonlySet<string>, issues: Issue[]): void {
  if (issues.length >= maxIssues || typeof value !== 'object' || value === null) return
  if (Array.isArray(value))
    return value.forEach((item, at) => validateValue(item, `${path}[${at}]`, forbiddenTerms, issues))
  for (const [key, member] of Object.entries(value)) {
    const message =
      ambiguousTerms.has(key) || forbiddenTerms.has(key)
        ? 'has a name that the context of UNTP protects'
        : describeInvalidMember(key, member)
    if (message !== null) issues.push({ path: `${path}.${key}`, code: 'not_certifiable', message })
    validateValue(member, `${path}.${key}`, forbiddenTerms, issues)
  }
}

function describeInvalidMember(key: string, value: unknown): string | null {
  if (key === '') return 'has no name'
  if (key.startsWith('@')) return 'has a name that is an instruction in JSON-LD'
  if (key === '__proto__') return 'has a name that readers take for something else'
  if (key === 'id' && typeof value !== 'string') return 'has to be text, as it names what it stands in'
  if (key === 'type' && !isText(value))
    return 'has to be text, or a list of texts, as it is the type of what it stands in'
  return null
}

const isText = (value: unknown) =>
  typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'))

/** Inserts contexts in the caller's transaction, with one statement; leaves known contexts unchanged. */
export async function insertContexts(trx: Knex, contexts: Iterable<ContextDocument>): Promise<void> {
  const sorted = [...contexts].sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1))
  if (sorted.length === 0) return
  await trx.raw(
    `insert into credential_contexts (sha256, body) select * from unnest(?::text[], ?::text[]) on conflict (sha256) do nothing`,
    [sorted.map(({ sha256 }) => sha256), sorted.map(({ body }) => body)],
  )
}

/** Returns the text of a context, or undefined if there is none. */
export async function findContextBody(db: Knex, sha256: string): Promise<string | undefined> {
  const row = await db('credential_contexts').where({ sha256 }).first<{ body: string } | undefined>('body')
  return row?.body
}

/**
 * Returns the text of a stored foreign context, or undefined if there is none.
 * @param address may come unchecked from outside
 */
export async function findForeignContextBody(db: Knex, address: string): Promise<string | undefined> {
  if (!/^https?:[!-~]+$/.test(address)) return undefined
  const row = await db('credential_contexts').where({ address }).first<{ body: string } | undefined>('body')
  return row?.body
}

/**
 * Stores a foreign context under its address, in the caller's transaction. An earlier context of this address is then
 * found by its hash alone.
 */
export async function replaceForeignContext(trx: Knex, address: string, body: string): Promise<void> {
  const sha256 = toSha256Hex(body)
  await trx('credential_contexts').where({ address }).whereNot({ sha256 }).update({ address: null })
  await trx.raw(
    `insert into credential_contexts (sha256, body, address) values (?, ?, ?)
     on conflict (sha256) do update set address = excluded.address`,
    [sha256, body, address],
  )
}
