import { randomBytes } from 'node:crypto'
import type { Catalogue } from '../../tools/catalogue/catalogue.ts'
import { isRecord, type Schema } from '../../tools/openapi.ts'
import { PromptArgumentError } from '../prompt.ts'

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
export function parseDemoRequest(texts: PromptTexts, catalogue: Catalogue): DemoRequest {
  return {
    scenario: parseChoice('scenario', texts['scenario'], scenarios),
    applicationId: parseApplicationId(texts['applicationId']),
    size: parseSize(texts['size']),
    network: parseNetwork(texts['network'], catalogue),
    runId: parseRunId(texts['runId']),
    dryRun: texts['dryRun'] !== undefined && parseChoice('dryRun', texts['dryRun'], ['true', 'false']) === 'true',
    getAddress: (path) => catalogue.resources.getAddress(path),
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
 * Returns the named test network, or the document's first one. A demo never uses a main network.
 * @throws PromptArgumentError
 */
function parseNetwork(value: string | undefined, catalogue: Catalogue): string {
  const allowed = listTestNetworks(catalogue)
  if (value !== undefined) return parseChoice('network', value, allowed)
  const [first] = allowed
  if (first === undefined) throw new PromptArgumentError('network', 'cannot be chosen: the API offers no test network')
  return first
}

/** Lists the test networks that the document has; all of them if it names no network. */
export function listTestNetworks(catalogue: Catalogue): readonly string[] {
  const offered = listDocumentNetworks(catalogue)
  return testNetworks.filter((network) => offered.length === 0 || offered.includes(network))
}

/** Lists the networks that a product sheet can have. */
function listDocumentNetworks({ tools }: Catalogue): readonly unknown[] {
  const schema = tools.get('create_dpp_product')?.plan.inputSchema
  const stated = getMember(getMember(schema, 'properties'), 'network')
  const name = typeof stated?.['$ref'] === 'string' ? stated['$ref'].replace('#/$defs/', '') : null
  const values = (name === null ? stated : getMember(getMember(schema, '$defs'), name))?.['enum']
  return Array.isArray(values) ? values : []
}

function getMember(schema: Schema | undefined, name: string): Schema | undefined {
  const value = schema?.[name]
  return isRecord(value) ? value : undefined
}

function parseRunId(value: string | undefined): string {
  if (value === undefined) return randomBytes(4).toString('hex')
  if (/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(value)) return value
  throw new PromptArgumentError('runId', 'must be 1 to 32 small letters, digits and hyphens, no hyphen at its ends')
}
