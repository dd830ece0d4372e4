export { createHeldBlockSql, createUseSql, currentPeriodSql, releaseUnits, resetFutureLeases } from './blocks.ts'
export { createMeters } from './meters.ts'
export { assertPlanNetwork, createPlanNetworkCheck, type NetworkCheck } from './networks.ts'
export { findPlan, listPlans, setPlan } from './plans.ts'
export { startMeterSweeps } from './sweep.ts'
export { choosePlan, getRule, type MeterRule, type Meters, type PlanTable } from './types.ts'
export {
  listNearLimits,
  listRemovedUnits,
  listUsed,
  listWrongLeases,
  type MeterTotal,
  type NearLimit,
  readUsage,
} from './usage.ts'
