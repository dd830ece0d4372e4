import type { DemoRequest } from './demo-request.ts'
import {
  formatListAddress,
  formatPlaceholder,
  type CallStep,
  type LeftoverEntry,
  type PlanPart,
  type ReadStep,
  type Step,
} from './plan.ts'

/** The operations that the loyalty scenario calls and reads. */
export const loyaltyOperations = [
  'list_applications',
  'get_application',
  'update_application',
  'list_loyalty_reward_tiers',
  'create_loyalty_reward_tier',
  'get_loyalty_reward_tier',
  'delete_loyalty_reward_tier',
  'list_account_assignments',
  'create_account_assignment',
  'get_account_assignment',
  'delete_account_assignment',
]

/** The operations that are needed besides when the application is the caller's, who may have accounts there. */
export const accountPointsOperations = [
  'list_accounts',
  'list_loyalty_orders',
  'mint_loyalty_points',
  'burn_loyalty_points',
]

const application = formatPlaceholder('application')
const padNumber = (number: number) => String(number).padStart(2, '0')

interface Tier {
  key: string
  name: string
  requiredVisits: number
  currencyToPointRatio: number
}

const tiers: readonly Tier[] = [
  { key: 'bronze', name: 'Bronze', requiredVisits: 0, currencyToPointRatio: 1 },
  { key: 'silver', name: 'Silver', requiredVisits: 5, currencyToPointRatio: 1.5 },
  { key: 'gold', name: 'Gold', requiredVisits: 12, currencyToPointRatio: 2 },
]

/** The customers of whom points are known before they come, by the first part of their e-mail address. */
const customers: readonly string[] = [
  'camille.laurent',
  'giulia.moretti',
  'lukas.brandt',
  'olivia.bennett',
  'diego.fernandez',
  'beatriz.almeida',
  'sanne.de.vries',
  'astrid.lindqvist',
  'mateusz.kowalski',
  'zeynep.yildiz',
  'noah.williams',
  'amelie.gagnon',
  'yuki.tanaka',
  'ji.woo.kim',
  'priya.nair',
  'amara.okafor',
  'youssef.benali',
  'lerato.dlamini',
  'valentina.rojas',
  'eleni.papadopoulou',
]

/** The settings of the programme: a point for each euro, and visits of a year count. */
const programme = { currency: 'EUR', currencyToPointRatio: 1, visitsWindowDays: 365, welcomeBonus: '50' }

/** The number of accounts that are there and get points, the oldest first, and how many each gets. */
const maxCreditedAccounts = 5
const creditedPoints = 120

/**
 * Creates the plan part with a programme of points: its settings, three tiers, points that wait for customers who have
 * not come yet, and points of accounts that are there.
 */
export function createLoyaltyPart(demo: DemoRequest): PlanPart {
  const assignments = customers.map((customer, at) => describeAssignment(demo, customer, at))
  const accounts = demo.applicationId === null ? null : createAccountsPart(demo)
  return {
    steps: [
      createProgrammeStep(demo),
      ...tiers.map((tier) => createTierStep(demo, tier)),
      ...assignments.map((assignment) => createAssignmentStep(demo, assignment)),
      ...(accounts?.steps ?? []),
    ],
    checks: [createProgrammeCheck(demo), ...createChecks(demo, assignments)],
    teardown: [
      ...(accounts?.teardown ?? []),
      ...assignments.toReversed().map((assignment) => createRemoveAssignmentStep(demo, assignment)),
      ...tiers.toReversed().map((tier) => createRemoveTierStep(demo, tier)),
    ],
    stays: demo.applicationId === null ? [] : createLeftovers(demo),
  }
}

const getApplicationAddress = (demo: DemoRequest) => demo.getAddress(`/v1/applications/${application}`)

/** Creates the step that sets up the programme. A programme that the application has already stays as it is. */
function createProgrammeStep(demo: DemoRequest): CallStep {
  return {
    id: 'programme',
    unless: { read: getApplicationAddress(demo), present: ['/loyaltySettings/currencyToPointRatio'] },
    tool: 'update_application',
    arguments: { appId: application, loyaltySettings: programme },
    expect: { '/loyaltySettings/currencyToPointRatio': programme.currencyToPointRatio },
  }
}

/** Creates the check of the programme: its values where the demo made the application. */
const createProgrammeCheck = (demo: DemoRequest): ReadStep => ({
  id: 'programme set',
  read: getApplicationAddress(demo),
  expect:
    demo.applicationId === null
      ? {
          '/loyaltySettings/currency': programme.currency,
          '/loyaltySettings/currencyToPointRatio': programme.currencyToPointRatio,
          '/loyaltySettings/welcomeBonus': programme.welcomeBonus,
        }
      : { '/id': application },
})

const getTierName = ({ runId }: DemoRequest, { name }: Tier) => `${name} (${runId})`
const getTierValue = ({ key }: Tier) => `${key}Tier`

function createTierStep(demo: DemoRequest, tier: Tier): CallStep {
  const name = getTierName(demo, tier)
  const { requiredVisits, currencyToPointRatio } = tier
  const list = formatListAddress(demo.getAddress('/v1/loyalty/reward-tiers'), { 'application.id': application, name })
  const keep = { [getTierValue(tier)]: '/data/0/id' }
  return {
    id: `tier ${name}`,
    unless: { read: list, matches: { '/data/0/name': name }, keep },
    tool: 'create_loyalty_reward_tier',
    arguments: { application, name, requiredVisits, currencyToPointRatio },
    expect: { '/name': name, '/requiredVisits': requiredVisits },
    keep: { [getTierValue(tier)]: '/id' },
    refused: {
      LOYALTY_REWARD_TIER_DUPLICATE_VISITS: {
        stays: `Another tier of ${requiredVisits} visits, which was there before: the demo has no ${tier.name} of its own.`,
      },
    },
  }
}

function createRemoveTierStep(demo: DemoRequest, tier: Tier): CallStep {
  const id = formatPlaceholder(getTierValue(tier))
  return {
    id: `delete tier ${getTierName(demo, tier)}`,
    unless: { read: demo.getAddress(`/v1/loyalty/reward-tiers/${id}`), missing: true },
    tool: 'delete_loyalty_reward_tier',
    arguments: { id },
    expect: { '/id': id },
    refused: {
      LOYALTY_REWARD_TIER_IN_USE: {
        stays: `The tier ${JSON.stringify(getTierName(demo, tier))}: an account keeps it whatever its visits.`,
      },
    },
  }
}

interface Assignment {
  /** The name under which its id is kept. */
  value: string
  email: string
  points: number
  tier: Tier | null
}

/**
 * Describes what waits for a customer: every fifth one comes with a tier too. In an application of the caller a tier may
 * be refused, because another one of as many visits was there before; so nothing depends on tiers there.
 */
function describeAssignment({ runId, applicationId }: DemoRequest, customer: string, at: number): Assignment {
  return {
    value: `assignment${padNumber(at + 1)}`,
    email: `${customer}.${runId}@example.com`,
    points: 50 + ((at * 70) % 600),
    tier: applicationId === null && at % 5 === 0 ? (tiers[1 + ((at / 5) % 2)] ?? null) : null,
  }
}

const formatAssignmentList = (demo: DemoRequest, { email }: Assignment) =>
  formatListAddress(demo.getAddress('/v1/account-assignments'), { 'application.id': application, email })

function createAssignmentStep(demo: DemoRequest, assignment: Assignment): CallStep {
  const { value, email, points, tier } = assignment
  return {
    id: `points for ${email}`,
    unless: {
      read: formatAssignmentList(demo, assignment),
      matches: { '/data/0/email': email },
      keep: { [value]: '/data/0/id' },
    },
    tool: 'create_account_assignment',
    arguments: {
      application,
      email,
      optimisticBalance: String(points),
      ...(tier && { rewardTier: formatPlaceholder(getTierValue(tier)) }),
    },
    expect: { '/email': email, '/optimisticBalance': String(points), '/status': 'pending' },
    keep: { [value]: '/id' },
  }
}

function createRemoveAssignmentStep(demo: DemoRequest, { value, email }: Assignment): CallStep {
  const id = formatPlaceholder(value)
  return {
    id: `delete the points for ${email}`,
    unless: { read: demo.getAddress(`/v1/account-assignments/${id}`), missing: true },
    tool: 'delete_account_assignment',
    arguments: { id },
    expect: { '/id': id },
  }
}

function createChecks(demo: DemoRequest, assignments: readonly Assignment[]): ReadStep[] {
  if (demo.applicationId === null) {
    const inApplication = { 'application.id': application }
    return [
      {
        id: 'three tiers',
        read: formatListAddress(demo.getAddress('/v1/loyalty/reward-tiers'), inApplication),
        expect: { '/total': tiers.length },
      },
      {
        id: 'points for twenty customers',
        read: formatListAddress(demo.getAddress('/v1/account-assignments'), inApplication),
        expect: { '/total': assignments.length },
      },
    ]
  }
  return assignments.map((assignment) => ({
    id: `points wait for ${assignment.email}`,
    read: formatAssignmentList(demo, assignment),
    expect: { '/data/0/email': assignment.email, '/data/0/optimisticBalance': String(assignment.points) },
  }))
}

/** Creates the steps that credit accounts which are there, and those that take the points back. */
function createAccountsPart(demo: DemoRequest): Pick<PlanPart, 'steps' | 'teardown'> {
  const numbers = Array.from({ length: maxCreditedAccounts }, (_, at) => at + 1)
  const list = formatListAddress(
    demo.getAddress('/v1/accounts'),
    { 'application.id': application },
    maxCreditedAccounts,
  )
  const found: ReadStep = {
    id: 'accounts that are there',
    // The oldest ones, so that a customer who comes later does not change who gets points.
    read: `${list}&sorters[0][field]=createdAt&sorters[0][order]=asc`,
    expect: {},
    keepIfThere: Object.fromEntries(numbers.map((number) => [getAccountValue(number), `/data/${number - 1}/id`])),
  }
  return {
    steps: [found, ...numbers.map((number) => createCreditStep(demo, number))],
    teardown: numbers.toReversed().map((number) => createTakeBackStep(demo, number)),
  }
}

const getAccountValue = (number: number) => `account${padNumber(number)}`
const getReference = ({ runId }: DemoRequest, number: number) => `demo-${runId}-${padNumber(number)}`

const formatOrderList = (demo: DemoRequest, number: number, reference: string) =>
  formatListAddress(demo.getAddress('/v1/loyalty/orders'), {
    'account.id': formatPlaceholder(getAccountValue(number)),
    reference,
  })

function createCreditStep(demo: DemoRequest, number: number): CallStep {
  const reference = getReference(demo, number)
  const orders = formatOrderList(demo, number, reference)
  return {
    id: `points ${reference}`,
    unless: { read: orders, matches: { '/data/0/reference': reference } },
    tool: 'mint_loyalty_points',
    arguments: {
      id: formatPlaceholder(getAccountValue(number)),
      amount: creditedPoints,
      reason: 'A welcome to the programme',
      reference,
    },
    expect: { '/amount': String(creditedPoints) },
    until: { read: orders, matches: { '/data/0/status': 'settled' } },
  }
}

function createTakeBackStep(demo: DemoRequest, number: number): Step {
  const reference = `${getReference(demo, number)}-back`
  return {
    id: `take back ${getReference(demo, number)}`,
    unless: { read: formatOrderList(demo, number, reference), matches: { '/data/0/reference': reference } },
    tool: 'burn_loyalty_points',
    arguments: {
      id: formatPlaceholder(getAccountValue(number)),
      amount: creditedPoints,
      reason: 'The demo is over',
      reference,
    },
    expect: { '/amount': String(creditedPoints) },
    refused: {
      LOYALTY_INSUFFICIENT_BALANCE: {
        stays: `The points ${getReference(demo, number)}: their account has spent them.`,
      },
    },
  }
}

const createLeftovers = (demo: DemoRequest): LeftoverEntry[] => [
  {
    what:
      'The settings of the programme, if the application had none before, and the entries of the points that were '
      + 'credited and taken back: a ledger keeps every entry.',
    read: getApplicationAddress(demo),
    expect: { '/id': application },
  },
]
