import type { Knex } from 'knex'
import {
  listPublicModelPages,
  listPublicModels,
  listWithdrawnPassports,
  type PublicModel,
  type PublicModelPlace,
} from '../passports/index.ts'

/** The number of models that one query reads. */
const batchSize = 2_000

export interface PublicModelRange {
  /** The place at which the range begins, itself included. */
  from: PublicModelPlace
  /** How many models it has at most. Those that are revoked or suspended count and are left out. */
  limit: number
  /** The only application whose models count; null for all. */
  application: string | null
}

/** Iterates over published models in their order, in batches, however many there are. */
export async function* iteratePublicModels(
  db: Knex,
  { from, limit, application }: PublicModelRange,
): AsyncGenerator<PublicModel[]> {
  let [place, isPlaceIncluded] = [from, true]
  for (let left = limit; left > 0;) {
    const wanted = Math.min(batchSize, left)
    const models = await listPublicModels(db, { place, isPlaceIncluded, application, limit: wanted })
    const last = models.at(-1)
    if (!last) return
    const withdrawn = await listWithdrawnPassports(
      db,
      models.map(({ id }) => id),
    )
    yield models.filter(({ id }) => !withdrawn.has(id))
    if (models.length < wanted) return
    left -= models.length
    place = last
    isPlaceIncluded = false
  }
}

export { listPublicModelPages, type PublicModelPlace }
