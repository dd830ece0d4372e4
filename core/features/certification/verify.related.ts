import { invalid, type Violation } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { contextDigests, localDigests } from './contexts.loader.ts'
import { below } from './model.faults.ts'
import { digestsOfMultibase, digestsOfSri, fits, reckoned, type Reckon } from './related.digests.ts'
import { asList, Doubt, isObject, type Json } from './verify.doubt.ts'
import type { Reach } from './verify.reach.ts'

/** Resources of one credential; those of others that are fetched for it, and bytes of each. */
const most = { compared: 50, fetched: 3, size: 4 * 1024 * 1024 }

const names = ['digestSRI', 'digestMultibase'] as const
const digestsOf = { digestSRI: digestsOfSri, digestMultibase: digestsOfMultibase }

/**
 * Holds the related resources of a credential against their digests: contexts that it names as they are loaded, what is
 * known here, and others as they are fetched, at most three and within the limits of the verification. What cannot be
 * had, or has a digest of an unknown algorithm, is told and counts for nothing: no check here makes use of it, and a
 * context that a proof needs has to be had for the proof. @returns the rest of a sentence; '' where there is none
 * @throws Doubt for a resource that is another one. Source: W3C Verifiable Credentials Data Model 2.0, section 5.3
 */
export async function relatedOf(reach: Reach, credential: Json): Promise<string> {
  const resources = asList(credential['relatedResource']).filter(isObject)
  if (resources.length > most.compared) throw new Doubt(`It has more than ${most.compared} related resources`)
  const found = new Finder(reach, new Set(asList(credential['@context'])))
  let [same, open, why] = [0, 0, '']
  for (const resource of resources) {
    const reckon = await found.look(resource)
    const outcome = reckon instanceof Doubt ? null : outcomeOf(resource, reckon)
    if (outcome === false) throw new Doubt(`The related resource ${String(resource['id'])} is another one than its digest says`)
    if (outcome === true) same++
    else open++
    if (reckon instanceof Doubt) why ||= `: ${reckon.message}`
  }
  const fit = same === 0 ? '' : `; ${told(same)} its digest`
  return open === 0 ? fit : `${fit}; ${open} of its related resources cannot be compared${why}`
}

const told = (count: number) => (count === 1 ? 'a related resource fits' : `each of ${count} related resources fits`)

/** Whether a resource fits each of its digests; null where one cannot be compared and none is wrong. */
function outcomeOf(resource: Json, reckon: Reckon): boolean | null {
  const outcomes = names.filter((name) => resource[name] !== undefined)
    .map((name) => fits(digestsOf[name](resource[name]) ?? [], reckon))
  return outcomes.includes(false) ? false : outcomes.includes(null) ? null : true
}

/** Finds resources, a few of them at other hosts. */
class Finder {
  readonly #reach: Reach
  readonly #contexts: ReadonlySet<unknown>
  #left = most.fetched

  constructor(reach: Reach, contexts: ReadonlySet<unknown>) {
    this.#reach = reach
    this.#contexts = contexts
  }

  /** How a resource hashes, or why that is not known. */
  async look({ id, mediaType }: Json): Promise<Reckon | Doubt> {
    try {
      const url = String(id)
      const local = await localDigests(this.#reach.context, url)
      if (local) return local
      if (this.#left-- <= 0) throw new Doubt(`at most ${most.fetched} are fetched`)
      if (this.#contexts.has(id)) return await contextDigests(this.#reach, url)
      if (!/^https?:/i.test(url)) throw new Doubt(`${url} is no address that could be asked`)
      const types = typeof mediaType === 'string' ? [(mediaType.split(';')[0] ?? '').trim().toLowerCase()] : []
      const { body } = await this.#reach.get(`The resource ${url}`, url, types, most.size)
      return reckoned(body)
    } catch (cause) {
      if (cause instanceof Doubt) return cause
      throw cause
    }
  }
}

/**
 * Refuses wrong digests before a credential is signed, of resources that are known here: W3C's contexts and ours.
 * Nothing is fetched. @param path as of `refuseMalformed`, which has to have let the credential pass
 * @throws VALIDATION_FAILED
 */
export async function refuseWrongDigests(context: Context, credential: Json, path: string): Promise<void> {
  const faults: Violation[] = []
  const { relatedResource } = credential
  if (asList(relatedResource).length > most.compared) {
    throw invalid([{ path: below(path, 'relatedResource'), code: 'too_many', message: `must have at most ${most.compared} objects` }])
  }
  for (const [index, resource] of asList(relatedResource).entries()) {
    const reckon = isObject(resource) ? await localDigests(context, String(resource['id'])) : undefined
    if (!reckon || !isObject(resource)) continue
    const at = below(path, 'relatedResource')
    const place = Array.isArray(relatedResource) ? below(at, index) : at
    for (const name of names) {
      const digests = resource[name] === undefined ? [] : digestsOf[name](resource[name]) ?? []
      if (fits(digests, reckon) !== false) continue
      faults.push({ path: below(place, name), code: 'digest_mismatch', message: 'is not the digest of the resource' })
    }
  }
  if (faults.length > 0) throw invalid(faults.slice(0, 100))
}
