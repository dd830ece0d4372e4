import { randomBytes } from 'node:crypto'
import { PromptArgumentError } from './argument-error.ts'

export const scenarios = ['passport', 'loyalty', 'invest', 'full'] as const
export type Scenario = (typeof scenarios)[number]

/**
 * The limits of passports of each kind. The plan lists each call, so with more passports it would be too long for a
 * model.
 */
export const sizeLimits = { min: 1, standard: 5, max: 25 }

/**
 * Networks whose tokens have no value. The list is fixed, so that a new network of the document is not allowed by
 * itself.
 */
const testNetworks = [
  'EthereumAnvil',
  'BaseSepolia',
  'XdcApothem',
  'StellarQuickstart',
  'StellarTestnet',
  'StarknetSepolia',
]

/** What a plan depends on besides its request: the operations that can be called, and the networks. */
export interface PlanOffer {
  /** Returns whether an operation can be called or read, by the name that assistants know. */
  readonly hasOperation: (name: string) => boolean
  /** The networks that a product sheet can have; none if that is not known. */
  readonly networks: readonly unknown[]
  /** Returns the address of a resource, with which the reads of the plan begin. */
  readonly getAddress: (path: string) => string
}

/** A complete request for a demo, with all defaults filled in. */
export interface DemoRequest {
  readonly scenario: Scenario
  /** The id of the caller's application; null if the demo creates its own. */
  readonly applicationId: string | null
  readonly size: number
  readonly network: string
  /** The text that all names of the demo contain. */
  readonly runId: string
  readonly dryRun: boolean
  /** Returns the address of a resource. */
  readonly getAddress: (path: string) => string
}

type PromptTexts = Readonly<Record<string, string>>

/** Parses the arguments of the prompt and fills in the defaults. @throws PromptArgumentError */
export function parseDemoRequest(texts: PromptTexts, offer: PlanOffer): DemoRequest {
  return {
    scenario: parseChoice('scenario', texts['scenario'], scenarios),
    applicationId: parseApplicationId(texts['applicationId']),
    size: parseSize(texts['size']),
    network: parseNetwork(texts['network'], offer),
    runId: parseRunId(texts['runId']),
    dryRun: texts['dryRun'] !== undefined && parseChoice('dryRun', texts['dryRun'], ['true', 'false']) === 'true',
    getAddress: offer.getAddress,
  }
}

function parseChoice<T extends string>(argument: string, value: string | undefined, words: readonly T[]): T {
  const found = words.find((word) => word === value)
  if (found === undefined) throw new PromptArgumentError(argument, `must be one of ${words.join(', ')}`)
  return found
}

function parseApplicationId(value: string | undefined): string | null {
  if (value === undefined) return null
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
    throw new PromptArgumentError('applicationId', 'must be the UUID of an application; lookup_application_id finds it')
  }
  return value.toLowerCase()
}

function parseSize(value: string | undefined): number {
  if (value === undefined) return sizeLimits.standard
  const size = /^\d{1,4}$/.test(value) ? Number(value) : NaN
  if (size >= sizeLimits.min && size <= sizeLimits.max) return size
  throw new PromptArgumentError('size', `must be a whole number from ${sizeLimits.min} to ${sizeLimits.max}`)
}

/**
 * Returns the named test network, or the first one that is offered. A demo never uses a main network.
 * @throws PromptArgumentError
 */
function parseNetwork(value: string | undefined, offer: PlanOffer): string {
  const allowed = listTestNetworks(offer)
  if (value !== undefined) return parseChoice('network', value, allowed)
  const [first] = allowed
  if (first === undefined) throw new PromptArgumentError('network', 'cannot be chosen: the API offers no test network')
  return first
}

/** Lists the test networks that are offered; all of them if it is not known which ones are. */
export const listTestNetworks = ({ networks }: Pick<PlanOffer, 'networks'>): readonly string[] =>
  testNetworks.filter((network) => networks.length === 0 || networks.includes(network))

function parseRunId(value: string | undefined): string {
  if (value === undefined) return randomBytes(4).toString('hex')
  if (/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(value)) return value
  throw new PromptArgumentError('runId', 'must be 1 to 32 small letters, digits and hyphens, no hyphen at its ends')
}
