import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { pointOfSaleStatus } from './points-of-sale.machine.ts'
import { PointOfSaleModel } from './points-of-sale.model.ts'

/** What can be changed of a point of sale. */
export type PointOfSaleContent = Pick<PointOfSaleModel, 'name' | 'externalId' | 'address' | 'timeZone'>

/** Inserts a point of sale. */
export async function insertPointOfSale(
  trx: Knex,
  { isActive, ...values }: PointOfSaleContent & { organization: string; application: string; isActive: boolean },
): Promise<PointOfSaleModel> {
  const id = newId()
  const { create, createInactive } = pointOfSaleStatus.moves
  await PointOfSaleModel.query(trx).insert({ ...values, id, status: (isActive ? create : createInactive).to })
  return readPointOfSale(trx, id)
}

/** Locks a point of sale of an organization, or returns undefined if there is none. */
export async function lockPointOfSale(
  trx: Knex,
  organization: string,
  id: string,
): Promise<PointOfSaleModel | undefined> {
  return PointOfSaleModel.query(trx).findById(id).modify('ofOrganization', organization).forUpdate()
}

/** Changes a point of sale, which is locked. @param move of its status, where that changes */
export async function updatePointOfSale(
  trx: Knex,
  id: string,
  { name, externalId, address, timeZone }: PointOfSaleContent,
  move: 'activate' | 'deactivate' | null,
): Promise<PointOfSaleModel> {
  await trx.raw(
    `update points_of_sale set name = ?, external_id = ?, address = ?, time_zone = ?, updated_at = now()
       ${move ? `, ${pointOfSaleStatus.set(move)}` : ''} where id = ?`,
    [name, externalId, address, timeZone, id] as Knex.RawBinding[],
  )
  return readPointOfSale(trx, id)
}

/** Deletes a point of sale, which is locked. */
export async function deletePointOfSale(trx: Knex, id: string): Promise<void> {
  await PointOfSaleModel.query(trx).deleteById(id)
}

/** Counts the points of sale of an application. */
export async function countPointsOfSale(db: Knex, application: string): Promise<number> {
  return PointOfSaleModel.query(db).where({ application }).resultSize()
}

/** Reads points of sale of an organization by their ids; one that does not exist is left out. */
export async function readPointsOfSale(
  db: Knex,
  organization: string,
  ids: readonly string[],
): Promise<PointOfSaleModel[]> {
  return PointOfSaleModel.query(db)
    .modify('ofOrganization', organization)
    .whereIn('id', [...ids])
}

/** Returns those of the points of sale that are inactive. */
export async function listInactive(db: Knex, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await PointOfSaleModel.query(db)
    .whereIn('id', [...ids])
    .where('status', 'inactive')
    .select('id')
  return new Set(rows.map(({ id }) => id))
}

async function readPointOfSale(db: Knex, id: string): Promise<PointOfSaleModel> {
  return PointOfSaleModel.query(db).findById(id).throwIfNotFound()
}
