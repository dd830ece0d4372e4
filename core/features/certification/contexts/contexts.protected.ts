import type { Knex } from 'knex'
import { parseStrictJson } from '../../../kernel/json/json.ts'
import { predefinedTerms } from './contexts.terms.ts'
import { currentUntpVersion, untpVersions } from './credential.ts'
import { isObject } from '../formats/index.ts'

/**
 * Returns the terms that a context protects: no later context may redefine them. Source: JSON-LD 1.1, section 4.1.11.
 */
export function getProtectedTerms(document: unknown): string[] {
  const contexts = isObject(document) ? [document['@context']].flat().filter(isObject) : []
  return contexts.flatMap((context) =>
    Object.entries(context).flatMap(([term, definition]) => {
      const own = isObject(definition) ? definition['@protected'] : undefined
      return !term.startsWith('@') && (own ?? context['@protected']) === true ? [term] : []
    }),
  )
}

/**
 * The latest terms for each database. `cachedTerms` holds the terms by the digests of their contexts: the same digests
 * always protect the same terms.
 */
const recentTerms = new WeakMap<Knex, { at: number; terms: ReadonlySet<string> }>()
let cachedTerms: { digests: string; terms: ReadonlySet<string> } = { digests: '', terms: new Set() }

/** Maximum age in milliseconds of the terms for a check that runs long before the signature. */
const maxAgeMs = 60_000

/**
 * Reads the terms that the stored revision of UNTP's context protects, without those that we know in advance. One of
 * our contexts that mapped such a term would be invalid with that revision, so certified content may not use these
 * names.
 * @param mustBeFresh whether to read the revision that is stored now: a signature has to fit that revision
 */
export async function readProtectedTerms(db: Knex, mustBeFresh = true): Promise<ReadonlySet<string>> {
  const before = recentTerms.get(db)
  const at = performance.now()
  if (before && !mustBeFresh && at - before.at < maxAgeMs) return before.terms
  const [, ...addresses] = untpVersions[currentUntpVersion].contexts
  const kept = await db('credential_contexts')
    .whereIn('address', addresses)
    .orderBy('address')
    .select<{ sha256: string }[]>('sha256')
  const digests = kept.map(({ sha256 }) => sha256)
  if (cachedTerms.digests !== digests.join())
    cachedTerms = { digests: digests.join(), terms: await readTermsOfContexts(db, digests) }
  const { terms } = cachedTerms
  recentTerms.set(db, { at, terms })
  return terms
}

async function readTermsOfContexts(db: Knex, digests: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db('credential_contexts').whereIn('sha256', digests).select<{ body: string }[]>('body')
  const all = rows.flatMap(({ body }) => getProtectedTerms(parseStrictJson(Buffer.from(body))))
  return new Set(all.filter((term) => !predefinedTerms.has(term)))
}
