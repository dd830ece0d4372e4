export { readDppMetrics } from './metrics.ts'
export type { DppMetrics } from './metrics.schema.ts'
