export { readDppMetrics, readLoyaltyMetrics } from './metrics.ts'
export type { DppMetrics, LoyaltyMetrics } from './metrics.schema.ts'
