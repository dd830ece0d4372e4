export { PromptArgumentError } from './argument-error.ts'
export {
  listTestNetworks,
  parseDemoRequest,
  scenarios,
  sizeLimits,
  type DemoRequest,
  type PlanOffer,
  type Scenario,
} from './demo-request.ts'
export { createPlan } from './scenarios.ts'
export type {
  Arguments,
  CallStep,
  DoneCondition,
  ExpectedValues,
  KeptPointers,
  LeftoverEntry,
  Plan,
  PlanRead,
  ReadStep,
  RefusalHandling,
  Step,
} from './plan.ts'
