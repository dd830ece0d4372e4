export { countRestaurants, eraseIntegration } from './integrations.store.ts'
export {
  countOrdersOfCustomer,
  countWaitingOrders,
  forgetOldContacts,
  forgetOrders,
  lockNewCustomer,
  type NewCustomer,
} from './orders/arrivals.ts'
export { burnOperations } from './orders/burn.operations.ts'
export { eraseCustomers } from './orders/orders.store.ts'
export { startPosSweeps } from './orders/sweep.ts'
export { webhookOperations } from './orders/webhooks.operations.ts'
export { earnJob } from './orders/work-off.ts'
export { sealedPosSecrets } from './secrets.ts'
export type { PosSettings } from './settings.schema.ts'
export { changeSettings, checkSettings, readSettings } from './settings.ts'
export { settingsOperations } from './settings.operations.ts'
