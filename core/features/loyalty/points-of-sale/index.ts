export { pointOfSaleOperations } from './points-of-sale.operations.ts'
export type { PointOfSale } from './points-of-sale.schema.ts'
export { countPointsOfSale, listInactive, readPointsOfSale } from './points-of-sale.store.ts'
export {
  changePointOfSale,
  createPointOfSale,
  listPointsOfSale,
  readPointOfSale,
  removePointOfSale,
} from './points-of-sale.ts'
export { getLocalDay } from './time-zones.ts'
