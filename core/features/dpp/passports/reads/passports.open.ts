import type { Knex } from 'knex'
import { passportStatus } from '../passports.machine.ts'
import { PassportRow } from '../passports.model.ts'
import { listWithdrawnPassports } from '../withdrawals.ts'

/** Finds a passport that everybody may see. */
export const findOpenPassport = async (db: Knex, id: string): Promise<PassportRow | undefined> =>
  PassportRow.query(db).findById(id).whereNot('status', passportStatus.moves.create.to)

/** A model whose page everybody may see, as the index of public models has it. */
interface PublicModel {
  application: string
  id: string
  updatedAt: Date
}

/** The place of a model in the order of public models. */
export type PublicModelPlace = Pick<PublicModel, 'application' | 'id'>

/** The rows of the index `passports_public_models`; the planner needs its condition word for word. */
const publicModelsSql = `from passports where status = 'published' and product ->> 'idGranularity' = 'model'`

interface PublicModelSelection {
  place: PublicModelPlace
  /** Whether a model at the place itself counts. */
  isPlaceIncluded: boolean
  /** The only application whose models count; null for all. */
  application: string | null
  limit: number
}

/** Lists the next published models from a place on, from the index alone. */
async function listPublicModels(
  db: Knex,
  { place, isPlaceIncluded, application, limit }: PublicModelSelection,
): Promise<PublicModel[]> {
  const { rows } = await db.raw<{ rows: PublicModel[] }>(
    `select application, id, updated_at as "updatedAt" ${publicModelsSql}
       and (application, id) ${isPlaceIncluded ? '>=' : '>'} (?::uuid, ?::uuid) ${application === null ? '' : 'and application = ?::uuid'}
     order by application, id limit ?`,
    [place.application, place.id, ...(application === null ? [] : [application]), limit],
  )
  return rows
}

/**
 * Lists the places at which pages of published models begin, by one pass over the index.
 * @param application the only one whose models count; null for all
 */
export async function listPublicModelPages(
  db: Knex,
  pageSize: number,
  application: string | null,
): Promise<PublicModelPlace[]> {
  const { rows } = await db.raw<{ rows: PublicModelPlace[] }>(
    `select application, id from (
       select application, id, row_number() over (order by application, id) as place
       ${publicModelsSql} ${application === null ? '' : 'and application = ?::uuid'}
     ) as placed where place % ?::int = 1 % ?::int order by application, id`,
    [...(application === null ? [] : [application]), pageSize, pageSize],
  )
  return rows
}

/** The number of models that one query reads. */
const batchSize = 2_000

interface PublicModelRange {
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
