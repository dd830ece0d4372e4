export { createHeldBlockSql, createUseSql, releaseUnits, resetFutureLeases } from './blocks.ts'
export { createMeters, type Meters, type MeterTicket } from './meters.ts'
export { findPlan, setPlan } from './plans.ts'
export { startMeterSweeps } from './sweep.ts'
export { getRule, type MeterRule, type PlanTable } from './types.ts'
export {
  listRemovedUnits,
  listUsed,
  listWrongLeases,
  readUsage,
  type MeterTotal,
  type OrganizationUsage,
} from './usage.ts'
