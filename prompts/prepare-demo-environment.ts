import { formatPlan, type Plan, type UnplannedScenario } from './demo/plan.ts'
import { createCatalogueOffer } from './catalogue-offer.ts'
import { parseDemoRequest, scenarios, sizeLimits, listTestNetworks } from './demo/demo-request.ts'
import { createPlan } from './demo/scenarios.ts'
import type { Prompt } from './prompt.ts'

const createOptionalArgument = (name: string, description: string) => ({ name, description, required: false })

/**
 * The prompt that answers a plan of exact tool calls: they fill an application with a demo and remove it again. The
 * plan is JSON in a fenced block of one text message, because every revision of the protocol and every client shows
 * text to its model. An embedded resource would need an address, and this plan could not be read again there: it
 * depends on the arguments and, without a runId, on chance. Source: MCP 2025-11-25, prompts, content types.
 */
export const prepareDemoEnvironment: Prompt = {
  entry: {
    name: 'prepare_demo_environment',
    title: 'Prepare a demo environment',
    description:
      'A plan of exact tool calls that prepares a demo on a test network, checks it and takes it away again. '
      + 'Running the same plan twice creates nothing new.',
    arguments: [
      createOptionalArgument('applicationId', 'Id of the application to fill. Left out: the demo gets one of its own.'),
      { name: 'scenario', description: `What to prepare: ${scenarios.join(', ')}.`, required: true },
      createOptionalArgument(
        'size',
        `Passports made one by one, and again as many minted as a batch: ${sizeLimits.min} to ${sizeLimits.max}, `
          + `${sizeLimits.standard} when left out. The scenario loyalty has 20 customers whatever it says.`,
      ),
      createOptionalArgument(
        'network',
        'A test network that this installation can send on, as EthereumAnvil or BaseSepolia. Left out: EthereumAnvil, '
          + 'or the first one that the API knows.',
      ),
      createOptionalArgument(
        'runId',
        'What names are made from: 1 to 32 small letters, digits and hyphens. Left out: a new one.',
      ),
      createOptionalArgument(
        'dryRun',
        'true: only read what there is and say what would be called. false when left out.',
      ),
    ],
  },
  listChoices: (catalogue) =>
    new Map<string, readonly string[]>([
      ['scenario', scenarios],
      ['network', listTestNetworks(createCatalogueOffer(catalogue))],
      ['dryRun', ['true', 'false']],
    ]),
  createResult: (given, catalogue) => {
    const offer = createCatalogueOffer(catalogue)
    const plan = createPlan(parseDemoRequest(given, offer), offer)
    const description = `A demo environment: ${plan.scenario}, run ${plan.runId}`
    return { description, messages: [{ role: 'user', content: { type: 'text', text: formatPlanMessage(plan) } }] }
  },
}

function formatPlanMessage(plan: Plan): string {
  const title = `Prepare a demo environment, scenario ${plan.scenario}, runId ${plan.runId}.`
  const head = [title, ...plan.unplanned.map(describeUnplanned)]
  if (plan.steps.length === 0) return [...head, nothingToDo, formatPlanBlock(plan)].join('\n')
  return [...head, '', ...(plan.dryRun ? dryRules : runRules), '', formatPlanBlock(plan)].join('\n')
}

const nothingToDo = 'So there is nothing to do. Tell the user; do not make up other calls.'

const formatPlanBlock = (plan: Plan) => `\`\`\`json\n${formatPlan(plan)}\n\`\`\``

function describeUnplanned({ scenario, missing }: UnplannedScenario): string {
  return missing.length > 0
    ? `The scenario ${scenario} cannot be prepared: the API does not offer ${missing.join(', ')}.`
    : `The scenario ${scenario} cannot be prepared: there is no plan for it yet.`
}

/** Joins the lines of one rule. */
const joinSentences = (...parts: string[]) => parts.join(' ')

const readingRules = [
  joinSentences(
    '- A name such as ${application} stands for the value that an earlier step kept. `keep` names the values to keep,',
    'each by the JSON pointer into the answer: of a tool its structured content, of a resource its JSON.',
  ),
  joinSentences(
    '- `unless` is the read that shows that a step is already done: read it first. If every pointer in its `matches`',
    'has exactly its value, or if each pointer in its `present` has a value, or if it says `missing` and nothing is',
    'there, keep what its `keep` says and go on with the next step.',
  ),
  joinSentences(
    '- A step with `read` alone has to match its `expect`. If it does not, stop and tell the user. What its `keepIfThere`',
    'names is kept if the answer has it. Skip a step that needs a value which nothing gave.',
  ),
]

const runRules = [
  'Run the steps of the plan in order, exactly as they are written:',
  ...readingRules,
  joinSentences(
    '- Otherwise call `tool` with `arguments`. If it answers a preview with `confirm`, show it to the user and call again',
    'with that `confirm`. The answer has to have the values of `expect`; then read `until` again and again until it',
    'matches, for at most 60 seconds.',
  ),
  joinSentences(
    '- If a call is refused with a code that stands in `refused`, do what stands there: another call, or nothing where',
    'it only says what stays. Stop at any other refusal and tell the user.',
  ),
  joinSentences(
    'Then run the checks; read one that does not match again for at most 60 seconds. Show the user what was made, and',
    'the claim link if there is one.',
  ),
  joinSentences(
    'Run the teardown only when the user asks for it, in its order, with the values that the steps kept; in another',
    'conversation get them first: make the reads of the steps that have `keep`, keep what matches, and call nothing',
    'else. Skip a step whose value no read gives. `stays` is what is left afterwards: read it and tell the user.',
    'Records of what happened (events, jobs) stay too. What was torn down cannot be prepared again under the same',
    'runId.',
  ),
]

const dryRules = [
  'This is a dry run: call nothing that stands under `would`. Go through the steps in order and read only:',
  ...readingRules,
  joinSentences(
    'Tell the user which steps are already done and which calls the others would make. A step whose read needs a value',
    'that nothing gave would be made.',
  ),
]
