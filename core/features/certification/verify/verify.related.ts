import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import {
  createDigestFunction,
  type DigestFunction,
  findLocalDigestFunction,
  loadContextDigestFunction,
  matchDigests,
  parseMultibaseDigests,
  parseSriDigests,
  type VerificationFetcher,
} from '../contexts/index.ts'
import { joinPath } from '../model/index.ts'
import { isObject, type JsonObject, toList, VerificationError } from '../formats/index.ts'

/** Limits for one credential: its related resources, the fetches for foreign ones, and the bytes of each. */
const limits = { maxResources: 50, maxFetches: 3, maxResourceBytes: 4 * 1024 * 1024 }

const digestMembers = ['digestSRI', 'digestMultibase'] as const
const digestParsers = { digestSRI: parseSriDigests, digestMultibase: parseMultibaseDigests }

/**
 * Checks the related resources of a credential against their digests. Contexts that the credential names are compared
 * as they were loaded, other resources from what is stored here or from a fetch; at most three are fetched, within the
 * limits of the verification. A resource that cannot be loaded, or whose digest has an unknown algorithm, is mentioned
 * but fails nothing: no other check uses it, and a context that a proof needs must be loaded for the proof anyway.
 * @returns the rest of a sentence; '' if there is no related resource
 * @throws VerificationError if a resource does not match its digest
 * Source: W3C Verifiable Credentials Data Model 2.0, section 5.3
 */
export async function checkRelatedResources(fetcher: VerificationFetcher, credential: JsonObject): Promise<string> {
  const resources = toList(credential['relatedResource']).filter(isObject)
  if (resources.length > limits.maxResources)
    throw new VerificationError(`It has more than ${limits.maxResources} related resources`)
  const finder = new ResourceFinder(fetcher, new Set(toList(credential['@context'])))
  let [matchCount, openCount, reason] = [0, 0, '']
  for (const resource of resources) {
    const computeDigest = await finder.findDigestFunction(resource)
    const outcome = computeDigest instanceof VerificationError ? null : matchResource(resource, computeDigest)
    if (outcome === false)
      throw new VerificationError(`The related resource ${String(resource['id'])} is another one than its digest says`)
    if (outcome === true) matchCount++
    else openCount++
    if (computeDigest instanceof VerificationError) reason ||= `: ${computeDigest.message}`
  }
  const matchText = matchCount === 0 ? '' : `; ${describeMatches(matchCount)} its digest`
  return openCount === 0 ? matchText : `${matchText}; ${openCount} of its related resources cannot be compared${reason}`
}

const describeMatches = (count: number) =>
  count === 1 ? 'a related resource fits' : `each of ${count} related resources fits`

/** Checks whether a resource matches all its digests; null if no digest is wrong but one cannot be compared. */
function matchResource(resource: JsonObject, computeDigest: DigestFunction): boolean | null {
  const outcomes = digestMembers
    .filter((name) => resource[name] !== undefined)
    .map((name) => matchDigests(digestParsers[name](resource[name]) ?? [], computeDigest))
  return outcomes.includes(false) ? false : outcomes.includes(null) ? null : true
}

/** The finder of related resources; it fetches a few of them from other hosts. */
class ResourceFinder {
  readonly #reach: VerificationFetcher
  readonly #contexts: ReadonlySet<unknown>
  #left = limits.maxFetches

  constructor(fetcher: VerificationFetcher, contexts: ReadonlySet<unknown>) {
    this.#reach = fetcher
    this.#contexts = contexts
  }

  /** Returns the digest function of a resource, or the reason why there is none. */
  async findDigestFunction({ id, mediaType }: JsonObject): Promise<DigestFunction | VerificationError> {
    try {
      const url = String(id)
      const local = await findLocalDigestFunction(this.#reach.context, url)
      if (local) return local
      if (this.#left-- <= 0) throw new VerificationError(`at most ${limits.maxFetches} are fetched`)
      if (this.#contexts.has(id)) return await loadContextDigestFunction(this.#reach, url)
      if (!/^https?:/i.test(url)) throw new VerificationError(`${url} is no address that could be asked`)
      const types = typeof mediaType === 'string' ? [(mediaType.split(';')[0] ?? '').trim().toLowerCase()] : []
      const { body } = await this.#reach.get(`The resource ${url}`, url, types, limits.maxResourceBytes)
      return createDigestFunction(body)
    } catch (cause) {
      if (cause instanceof VerificationError) return cause
      throw cause
    }
  }
}

/**
 * Refuses wrong digests before a credential is signed, for resources that are known here: contexts of W3C and our own.
 * Fetches nothing.
 * @param path path of the credential, as for `assertValidCredential`, which must have accepted the credential
 * @throws VALIDATION_FAILED
 */
export async function assertDigestsMatch(context: Context, credential: JsonObject, path: string): Promise<void> {
  const issues: Issue[] = []
  const { relatedResource } = credential
  if (toList(relatedResource).length > limits.maxResources) {
    throw createValidationProblem([
      {
        path: joinPath(path, 'relatedResource'),
        code: 'too_many',
        message: `must have at most ${limits.maxResources} objects`,
      },
    ])
  }
  for (const [index, resource] of toList(relatedResource).entries()) {
    const computeDigest = isObject(resource)
      ? await findLocalDigestFunction(context, String(resource['id']))
      : undefined
    if (!computeDigest || !isObject(resource)) continue
    const at = joinPath(path, 'relatedResource')
    const place = Array.isArray(relatedResource) ? joinPath(at, index) : at
    for (const name of digestMembers) {
      const digests = resource[name] === undefined ? [] : (digestParsers[name](resource[name]) ?? [])
      if (matchDigests(digests, computeDigest) !== false) continue
      issues.push({
        path: joinPath(place, name),
        code: 'digest_mismatch',
        message: 'is not the digest of the resource',
      })
    }
  }
  if (issues.length > 0) throw createValidationProblem(issues.slice(0, 100))
}
