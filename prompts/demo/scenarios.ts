import { applicationOperations, createApplicationPart } from './application.ts'
import { accountPointsOperations, createLoyaltyPart, loyaltyOperations } from './loyalty.ts'
import { passportOperations, createPassportPart } from './passport.ts'
import { toDryStep, type PlanPart, type Plan, type UnplannedScenario } from './plan.ts'
import type { DemoRequest, PlanOffer, Scenario } from './demo-request.ts'

type SingleScenario = Exclude<Scenario, 'full'>

/** The operations that a scenario needs, and its planner. `createPart` is null if there is no planner yet. */
interface ScenarioPlanner {
  readonly operations: readonly string[]
  /** Operations that are needed besides in an application of the caller, which may have accounts. */
  readonly accountOperations?: readonly string[]
  readonly createPart: ((demo: DemoRequest) => PlanPart) | null
}

const planners: Readonly<Record<SingleScenario, ScenarioPlanner>> = {
  passport: { operations: passportOperations, createPart: createPassportPart },
  loyalty: {
    operations: loyaltyOperations,
    accountOperations: accountPointsOperations,
    createPart: createLoyaltyPart,
  },
  invest: {
    operations: [
      'list_invest_funds',
      'create_invest_fund',
      'update_invest_fund',
      'delete_invest_fund',
      'list_invest_identities',
      'create_invest_identity',
      'list_invest_holdings',
      'distribute_invest_shares',
      'list_invest_navs',
      'create_invest_nav',
      'delete_invest_nav',
    ],
    createPart: null,
  },
}

/** Creates the plan of all scenarios that the offered operations allow; `unplanned` names the other scenarios. */
export function createPlan(demo: DemoRequest, { hasOperation }: Pick<PlanOffer, 'hasOperation'>): Plan {
  const wantedScenarios = demo.scenario === 'full' ? (Object.keys(planners) as SingleScenario[]) : [demo.scenario]
  const unplanned: UnplannedScenario[] = []
  const parts: PlanPart[] = []
  let hasPassports = false
  for (const scenario of wantedScenarios) {
    const { operations, accountOperations = [], createPart } = planners[scenario]
    const own = demo.applicationId === null ? applicationOperations : accountOperations
    const missing = [...new Set([...own, ...operations])].filter((name) => !hasOperation(name))
    if (missing.length > 0 || createPart === null) unplanned.push({ scenario, missing })
    else {
      parts.push(createPart(demo))
      hasPassports ||= scenario === 'passport'
    }
  }
  const all = parts.length === 0 ? [] : [createApplicationPart(demo, { hasPassports }), ...parts]
  const teardown = all.toReversed().flatMap((part) => part.teardown)
  const steps = all.flatMap((part) => part.steps)
  return {
    scenario: demo.scenario,
    runId: demo.runId,
    dryRun: demo.dryRun,
    unplanned,
    steps: demo.dryRun ? steps.map(toDryStep) : steps,
    checks: demo.dryRun ? [] : all.flatMap((part) => part.checks),
    teardown: demo.dryRun ? teardown.map(toDryStep) : teardown,
    stays: all.flatMap((part) => part.stays),
  }
}
