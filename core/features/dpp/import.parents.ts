import type { Found, LooseBatch } from './import.find.ts'
import { identityKey, modelIdentity, parentsOf, type Identity } from './import.keys.ts'

/** What the numbers of a new passport lead to, as `passport_parents` finds it. */
export interface Parents {
  model: Found | null
  batch: Found | null
  hung: 'linked' | 'alone' | 'waiting'
}

/** Passports of a slice that are about to be made, as parents of others. */
interface Sibling extends Found { identity: Identity }

/** Where parents are looked for: those that are there, and the slice itself. */
export class Family {
  readonly #known: Map<string, Found>
  readonly #loose: Map<string, { id: string; product: string | null; model: string | null }[]>

  /** @param known by key @param loose batches that are there by their number, at most two of each */
  constructor(known: ReadonlyMap<string, Found>, loose: ReadonlyMap<string, readonly LooseBatch[]>) {
    this.#known = new Map(known)
    this.#loose = new Map([...loose].map(([number, found]) => [number, [...found]]))
  }

  /** Makes a passport of the slice a parent of others in it. */
  add({ identity, ...sibling }: Sibling): void {
    const [granularity, model = null, batch] = identity
    if (granularity === 'item') return
    this.#known.set(identityKey(identity), sibling)
    if (granularity !== 'batch' || !batch) return
    this.#loose.set(batch, [...this.#loose.get(batch) ?? [], { ...sibling, model }])
  }

  of(identity: Identity): Parents {
    const [granularity] = identity
    const named = parentsOf(identity)
    const loose = named.loose === null ? [] : this.#loose.get(named.loose) ?? []
    const only = loose.length === 1 ? loose[0] : undefined
    const number = named.model ?? only?.model ?? null
    const model = number === null ? null : this.#known.get(identityKey(modelIdentity(number))) ?? null
    const batch = named.batch === null ? only ?? null : this.#known.get(identityKey(named.batch)) ?? null
    const namesBatch = named.batch !== null || named.loose !== null
    if (granularity === 'model') return { model, batch, hung: 'linked' }
    if (named.model === null && !namesBatch) return { model, batch, hung: 'alone' }
    return { model, batch, hung: model !== null && (!namesBatch || batch !== null) ? 'linked' : 'waiting' }
  }
}
