import { randomBytes } from 'node:crypto'
import type { Catalogue } from '../../tools/catalogue.ts'
import { isRecord, type Schema } from '../../tools/openapi.ts'
import { PromptArgumentError } from '../prompt.ts'

export const scenarios = ['passport', 'loyalty', 'invest', 'full'] as const
export type Scenario = (typeof scenarios)[number]

/** Passports of each kind. The plan has each of its calls, so more of them would be too long a text for a model. */
export const sizes = { least: 1, usual: 5, most: 25 }

/** Networks whose tokens are worth nothing. Stated here, so that a network that is new in the document is not one. */
const testNetworks = [
  'EthereumAnvil', 'BaseSepolia', 'XdcApothem', 'StellarQuickstart', 'StellarTestnet', 'StarknetSepolia',
]

/** What is to be prepared, every choice made. */
export interface Demo {
  readonly scenario: Scenario
  /** Id of the caller's application; null for one of the demo's own. */
  readonly applicationId: string | null
  readonly size: number
  readonly network: string
  /** All names of the demo are made from it. */
  readonly runId: string
  readonly dryRun: boolean
  /** The address of a resource. */
  readonly address: (path: string) => string
}

type Given = Readonly<Record<string, string>>

/** Throws PromptArgumentError. */
export function readDemo(given: Given, catalogue: Catalogue): Demo {
  return {
    scenario: oneOf('scenario', given['scenario'], scenarios),
    applicationId: idOf(given['applicationId']),
    size: sizeOf(given['size']),
    network: networkOf(given['network'], catalogue),
    runId: runIdOf(given['runId']),
    dryRun: given['dryRun'] !== undefined && oneOf('dryRun', given['dryRun'], ['true', 'false']) === 'true',
    address: (path) => catalogue.resources.addressOf(path),
  }
}

function oneOf<T extends string>(argument: string, value: string | undefined, words: readonly T[]): T {
  const found = words.find((word) => word === value)
  if (found === undefined) throw new PromptArgumentError(argument, `must be one of ${words.join(', ')}`)
  return found
}

function idOf(value: string | undefined): string | null {
  if (value === undefined) return null
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
    throw new PromptArgumentError('applicationId', 'must be the UUID of an application; lookup_application_id finds it')
  }
  return value.toLowerCase()
}

function sizeOf(value: string | undefined): number {
  if (value === undefined) return sizes.usual
  const size = /^\d{1,4}$/.test(value) ? Number(value) : NaN
  if (size >= sizes.least && size <= sizes.most) return size
  throw new PromptArgumentError('size', `must be a whole number from ${sizes.least} to ${sizes.most}`)
}

/** The first test network of the document unless one is named, so that a demo never reaches a main network. */
function networkOf(value: string | undefined, catalogue: Catalogue): string {
  const offered = documentNetworks(catalogue)
  const allowed = testNetworks.filter((network) => offered.length === 0 || offered.includes(network))
  if (value !== undefined) return oneOf('network', value, allowed)
  const [first] = allowed
  if (first === undefined) throw new PromptArgumentError('network', 'cannot be chosen: the API offers no test network')
  return first
}

/** The networks that a product sheet can have. */
function documentNetworks({ tools }: Catalogue): readonly unknown[] {
  const schema = tools.get('create_dpp_product')?.plan.inputSchema
  const stated = member(member(schema, 'properties'), 'network')
  const name = typeof stated?.['$ref'] === 'string' ? stated['$ref'].replace('#/$defs/', '') : null
  const values = (name === null ? stated : member(member(schema, '$defs'), name))?.['enum']
  return Array.isArray(values) ? values : []
}

function member(schema: Schema | undefined, name: string): Schema | undefined {
  const value = schema?.[name]
  return isRecord(value) ? value : undefined
}

function runIdOf(value: string | undefined): string {
  if (value === undefined) return randomBytes(4).toString('hex')
  if (/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(value)) return value
  throw new PromptArgumentError('runId', 'must be 1 to 32 small letters, digits and hyphens, no hyphen at its ends')
}
