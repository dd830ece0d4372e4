export {
  listTestNetworks,
  scenarios,
  sizeLimits,
  type DemoRequest,
  type PlanOffer,
  type Scenario,
} from './demo-request.ts'
export { createPlan } from './scenarios.ts'
export type {
  CallStep,
  DoneCondition,
  ExpectedValues,
  KeptPointers,
  Plan,
  ReadStep,
  RefusalHandling,
  Step,
} from './plan.ts'
