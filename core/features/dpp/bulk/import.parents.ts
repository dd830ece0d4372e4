import type { Knex } from 'knex'
import type { FoundPassport, BatchCandidate } from './import.lookup.ts'
import { formatIdentityKey, createModelIdentity, getParentIdentities, type ProductIdentity } from './import.keys.ts'

/** The parents that the numbers of a new passport lead to, with the same result as `passport_parents`. */
export interface ParentLinks {
  model: FoundPassport | null
  batch: FoundPassport | null
  linkState: 'linked' | 'alone' | 'waiting'
}

/** A passport of the slice that is about to be inserted and can be a parent of others. */
interface SiblingPassport extends FoundPassport {
  identity: ProductIdentity
}

/** An index of possible parents: existing passports, and passports of the slice itself. */
export class ParentIndex {
  readonly #known: Map<string, FoundPassport>
  readonly #loose: Map<string, { id: string; product: string | null; model: string | null }[]>

  /**
   * Creates an index.
   * @param known existing parents, by key
   * @param loose existing batches, by number; at most two for each number
   */
  constructor(known: ReadonlyMap<string, FoundPassport>, loose: ReadonlyMap<string, readonly BatchCandidate[]>) {
    this.#known = new Map(known)
    this.#loose = new Map([...loose].map(([number, found]) => [number, [...found]]))
  }

  /** Adds a passport of the slice as a possible parent of others in the slice. */
  add({ identity, ...sibling }: SiblingPassport): void {
    const [granularity, model = null, batch] = identity
    if (granularity === 'item') return
    this.#known.set(formatIdentityKey(identity), sibling)
    if (granularity !== 'batch' || !batch) return
    this.#loose.set(batch, [...(this.#loose.get(batch) ?? []), { ...sibling, model }])
  }

  findParents(identity: ProductIdentity): ParentLinks {
    const [granularity] = identity
    const parentIdentities = getParentIdentities(identity)
    const loose = parentIdentities.batchNumber === null ? [] : (this.#loose.get(parentIdentities.batchNumber) ?? [])
    const only = loose.length === 1 ? loose[0] : undefined
    const number = parentIdentities.model ?? only?.model ?? null
    const model = number === null ? null : (this.#known.get(formatIdentityKey(createModelIdentity(number))) ?? null)
    const batch =
      parentIdentities.batch === null
        ? (only ?? null)
        : (this.#known.get(formatIdentityKey(parentIdentities.batch)) ?? null)
    const namesBatch = parentIdentities.batch !== null || parentIdentities.batchNumber !== null
    if (granularity === 'model') return { model, batch, linkState: 'linked' }
    if (parentIdentities.model === null && !namesBatch) return { model, batch, linkState: 'alone' }
    return { model, batch, linkState: model !== null && (!namesBatch || batch !== null) ? 'linked' : 'waiting' }
  }
}

/** The maximum number of characters of cached products. */
const maxCharacters = 2_000_000

/**
 * A cache, by key, of the parents that earlier slices have found, because most slices of a catalogue name the same
 * models. Parents that were not found are not cached.
 */
export class ParentCache {
  readonly #found = new Map<string, FoundPassport>()
  #characters = 0

  get(key: string): FoundPassport | undefined {
    return this.#found.get(key)
  }

  add(found: ReadonlyMap<string, FoundPassport>): void {
    for (const [key, one] of found) {
      if (
        one.product === null
        || one.version === undefined
        || this.#found.has(key)
        || this.#characters + one.product.length > maxCharacters
      )
        continue
      this.#found.set(key, one)
      this.#characters += one.product.length
    }
  }

  /** Clears the cache if one of its parents was changed or deleted. It is called at the beginning of a transaction. */
  async refresh(trx: Knex): Promise<void> {
    if (this.#found.size === 0) return
    const found = [...this.#found.values()]
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `select from unnest(?::uuid[], ?::text[]) as known (id, version)
       where not exists (select from passports where id = known.id and xmin::text = known.version) limit 1`,
      [found.map(({ id }) => id), found.map(({ version }) => version ?? '')],
    )
    if (rows.length > 0) this.clear()
  }

  /**
   * Clears the cache. It is called after passports were changed, and after a cached parent turned out to be outdated.
   */
  clear(): void {
    this.#found.clear()
    this.#characters = 0
  }
}
