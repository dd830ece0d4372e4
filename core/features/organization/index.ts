export { assignPlan, createPlanTable, readPlans } from './plans.ts'
export type { PlanEntry } from './plans.schema.ts'
export { verifyQuotas, type QuotaVerification } from './quotas.verify.ts'
