export type { Check, Verification } from './answers.types.ts'
export { readinessOperations } from './readiness.operations.ts'
