import type { Catalogue } from '../../tools/catalogue.ts'
import { applicationNeeds, applicationPart } from './application.ts'
import { passportNeeds, passportPart } from './passport.ts'
import { dry, type Part, type Plan, type Unplanned } from './plan.ts'
import type { Demo, Scenario } from './request.ts'

type Single = Exclude<Scenario, 'full'>

/** What a scenario needs of the API. `part` is null where no plan is written for it. */
interface Planner {
  readonly needs: readonly string[]
  readonly part: ((demo: Demo) => Part) | null
}

const planners: Readonly<Record<Single, Planner>> = {
  passport: { needs: passportNeeds, part: passportPart },
  loyalty: {
    needs: [
      'list_loyalty_reward_tiers', 'create_loyalty_reward_tier', 'delete_loyalty_reward_tier',
      'list_account_assignments', 'create_account_assignment', 'delete_account_assignment',
      'list_loyalty_campaigns', 'create_loyalty_campaign', 'delete_loyalty_campaign',
    ],
    part: null,
  },
  invest: {
    needs: [
      'list_invest_funds', 'create_invest_fund', 'update_invest_fund', 'delete_invest_fund',
      'list_invest_identities', 'create_invest_identity', 'list_invest_holdings', 'distribute_invest_shares',
      'list_invest_navs', 'create_invest_nav', 'delete_invest_nav',
    ],
    part: null,
  },
}

/** The plan of what can be prepared with the operations that the document has; the rest is named in `unplanned`. */
export function makePlan(demo: Demo, catalogue: Catalogue): Plan {
  const asked = demo.scenario === 'full' ? (Object.keys(planners) as Single[]) : [demo.scenario]
  const unplanned: Unplanned[] = []
  const parts: Part[] = []
  for (const scenario of asked) {
    const { needs, part } = planners[scenario]
    const own = demo.applicationId === null ? applicationNeeds : []
    const missing = [...new Set([...own, ...needs])].filter((name) => !offers(catalogue, name))
    if (missing.length > 0 || part === null) unplanned.push({ scenario, missing })
    else parts.push(part(demo))
  }
  const all = parts.length === 0 ? [] : [applicationPart(demo), ...parts]
  const teardown = all.toReversed().flatMap((part) => part.teardown)
  const steps = all.flatMap((part) => part.steps)
  return {
    scenario: demo.scenario,
    runId: demo.runId,
    dryRun: demo.dryRun,
    unplanned,
    steps: demo.dryRun ? steps.map(dry) : steps,
    checks: demo.dryRun ? [] : all.flatMap((part) => part.checks),
    teardown: demo.dryRun ? teardown.map(dry) : teardown,
    stays: all.flatMap((part) => part.stays),
  }
}

/** Whether an operation can be called as a tool, or read as a resource. */
function offers({ tools, own, resources: { statics, templates } }: Catalogue, name: string): boolean {
  return tools.has(name) || own.has(name) || [...statics, ...templates].some((one) => one.name === name)
}
