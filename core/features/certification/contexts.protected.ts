import type { Knex } from 'knex'
import { parseStrictly } from '../../kernel/json.ts'
import { takenTerms } from './contexts.terms.ts'
import { presentUntp, untpVersions } from './credential.ts'
import { isObject } from './verify.doubt.ts'

/** Terms that a context gives a meaning which no later context may take from them. Source: JSON-LD 1.1, section 4.1.11. */
export function protectedTerms(document: unknown): string[] {
  const contexts = isObject(document) ? [document['@context']].flat().filter(isObject) : []
  return contexts.flatMap((context) => Object.entries(context).flatMap(([term, definition]) => {
    const own = isObject(definition) ? definition['@protected'] : undefined
    return !term.startsWith('@') && (own ?? context['@protected']) === true ? [term] : []
  }))
}

/** What was learnt lately, by database; and what contexts protect, by their digests: those never protect anything else. */
const learnt = new WeakMap<Knex, { at: number; terms: ReadonlySet<string> }>()
let known: { digests: string; terms: ReadonlySet<string> } = { digests: '', terms: new Set() }

/** How long what is judged long before it is signed goes by what was learnt before. */
const mayBeOld = 60_000

/**
 * Terms that UNTP's context protects in the revision that was fetched and is kept, beside those that are ours to know. A
 * context of ours that mapped one would break with that revision, so nothing that is certified is called so.
 * @param now whether what is kept this moment counts: what is signed has to fit it
 */
export async function keptProtectedTerms(db: Knex, now = true): Promise<ReadonlySet<string>> {
  const before = learnt.get(db)
  const at = performance.now()
  if (before && !now && at - before.at < mayBeOld) return before.terms
  const [, ...addresses] = untpVersions[presentUntp].contexts
  const kept = await db('credential_contexts').whereIn('address', addresses).orderBy('address').select<{ sha256: string }[]>('sha256')
  const digests = kept.map(({ sha256 }) => sha256)
  if (known.digests !== digests.join()) known = { digests: digests.join(), terms: await readTerms(db, digests) }
  const { terms } = known
  learnt.set(db, { at, terms })
  return terms
}

async function readTerms(db: Knex, digests: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db('credential_contexts').whereIn('sha256', digests).select<{ body: string }[]>('body')
  const all = rows.flatMap(({ body }) => protectedTerms(parseStrictly(Buffer.from(body))))
  return new Set(all.filter((term) => !takenTerms.has(term)))
}
