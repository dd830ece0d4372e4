export { orderOperations } from './orders.operations.ts'
export type { LoyaltyOrder } from './orders.schema.ts'
export { listOrders } from './orders.ts'
