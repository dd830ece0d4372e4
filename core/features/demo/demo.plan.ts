import { networkNames, networks, type Network } from '../../chains/networks.ts'
import type { MemberCaller } from '../../kernel/caller.ts'
import type { OperationCalls } from '../../kernel/ports/operation-calls.ts'
import type { Context } from '../../kernel/work.ts'
import {
  createPlan,
  listTestNetworks,
  scenarios,
  type DemoRequest,
  type Plan,
  type PlanOffer,
  type ReadStep,
  type Scenario,
  type Step,
} from '../../../prompts/demo/index.ts'

/** What a member chooses of a demo. */
export type DemoChoice = Pick<DemoRequest, 'scenario' | 'applicationId' | 'size' | 'network' | 'runId'>

/** The parts of a run: making the demo and checking it, or taking it away and looking at what stays. */
export type DemoPhase = 'prepare' | 'remove'

/** A step of a run, and how its answer counts. */
export interface RunStep {
  step: Step
  /** `wait`: a read that has to match in the end; `look`: one that shows whether something stays, which it names. */
  kind: 'step' | 'wait' | 'look'
}

/** The tool of assistants that finds an application; here the list of applications does. */
export const lookupName = 'lookup_application_id'

/** Lists the test networks on which this installation can send. */
export const listDemoNetworks = ({ chains }: Pick<Context, 'chains'>): readonly string[] => {
  const sendable = networkNames.filter((name: Network) => networks[name].test && chains.canSend(name))
  return sendable.length === 0 ? [] : listTestNetworks({ networks: sendable })
}

const createOffer = (calls: OperationCalls): PlanOffer => ({
  hasOperation: (name) => name === lookupName || calls.hasOperation(name),
  networks: networkNames,
  getAddress: (path) => path,
})

/** Creates the plan of a demo: the same that assistants get as a prompt. */
export function createDemoPlan(choice: DemoChoice, calls: OperationCalls): Plan {
  const offer = createOffer(calls)
  return createPlan({ ...choice, dryRun: false, getAddress: offer.getAddress }, offer)
}

const exampleChoice = { applicationId: null, size: 1, network: 'EthereumAnvil', runId: 'example' }

/** Lists the scenarios for which there is a plan, each with those of its parts that have none. */
export const listDemoScenarios = (calls: OperationCalls): { scenario: Scenario; unplanned: readonly string[] }[] =>
  scenarios.flatMap((scenario) => {
    const { steps, unplanned } = createDemoPlan({ ...exampleChoice, scenario }, calls)
    return steps.length === 0 ? [] : [{ scenario, unplanned: unplanned.map((part) => part.scenario) }]
  })

/** Lists the steps of a part of a run, in their order. */
export function listRunSteps({ steps, checks, teardown, stays }: Plan, phase: DemoPhase): RunStep[] {
  const asSteps = (all: Plan['steps']): RunStep[] =>
    all.flatMap((step) => ('would' in step ? [] : [{ step, kind: 'step' as const }]))
  if (phase === 'prepare') return [...asSteps(steps), ...checks.map((step) => ({ step, kind: 'wait' as const }))]
  const looks = stays.map(({ what, read, expect }): ReadStep => ({ id: what, read, expect }))
  return [...asSteps(teardown), ...looks.map((step) => ({ step, kind: 'look' as const }))]
}

/** Lists the operations that a plan calls, to make the demo and to take it away. */
function listCalledOperations({ steps, teardown }: Plan): string[] {
  const called = [...steps, ...teardown].flatMap((step) =>
    'tool' in step ? [step.tool, ...Object.values(step.refused ?? {}).flatMap(({ tool }) => tool ?? [])] : [],
  )
  return [...new Set(called)]
}

/** Finds an operation of a plan that the member's permissions do not allow; undefined if they allow all. */
export const findForbiddenOperation = (plan: Plan, caller: MemberCaller, calls: OperationCalls): string | undefined =>
  listCalledOperations(plan).find((name) => !calls.mayCall(caller, name))
