export type { Check, Finding, Readiness, Verification } from './answers.types.ts'
export { readinessOperations } from './readiness.operations.ts'
export type { ReadinessSummary } from './readiness.schema.ts'
export { readReadiness } from './readiness.ts'
