import type { PointOfSaleModel } from './points-of-sale.model.ts'
import type { PointOfSale } from './points-of-sale.schema.ts'

/** Returns a point of sale as its organization sees it. */
export const presentPointOfSale = (row: PointOfSaleModel): PointOfSale => ({
  id: row.id,
  application: row.application,
  name: row.name,
  ...(row.externalId !== null && { externalId: row.externalId }),
  ...(row.address !== null && { address: row.address }),
  timeZone: row.timeZone,
  status: row.status,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
