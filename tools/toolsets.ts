import { DocumentError } from './openapi.ts'

/** Areas of the API, so that a client with a small context takes in only what it works with. */
export const toolsetNames = [
  'account',
  'agents',
  'applications',
  'certification',
  'dpp',
  'imports',
  'invest',
  'loyalty',
] as const
export type Toolset = (typeof toolsetNames)[number]

/** What is said of each to whoever has to choose. */
export const toolsetTopics: Readonly<Record<Toolset, string>> = {
  account: 'jobs, events, quotas, billing',
  agents: 'agent wallets and intents',
  applications: 'applications and their settings',
  certification: 'signing, credentials, keys',
  dpp: 'passports, product sheets, minting',
  imports: 'files and mappers',
  invest: 'funds, offers, holdings',
  loyalty: 'accounts, points, campaigns',
}

/** The first that fits counts. */
const areas: readonly (readonly [RegExp, Toolset])[] = [
  [/^\/v\d+\/dpp\/(certification-keys?|certification|credentials|status-lists|contexts)(\/|$)/, 'certification'],
  [/^\/v\d+\/dpp\/passports\/(certify|build-vc|validate)$/, 'certification'],
  [/^\/v\d+\/dpp\/passports\/\{\w+\}\/(status|anchor|vc\.jsonld)$/, 'certification'],
  [/^\/v\d+\/dpp\//, 'dpp'],
  [/^\/v\d+\/imports?(\/|$)/, 'imports'],
  [/^\/v\d+\/(applications|organizations)(\/|$)/, 'applications'],
  [/^\/v\d+\/(jobs|events|quotas|admin|billing)(\/|$)/, 'account'],
  [/^\/v\d+\/(loyalty|accounts|account-assignments|points-of-sale)(\/|$)/, 'loyalty'],
  [/^\/v\d+\/invest(\/|$)/, 'invest'],
  [/^\/v\d+\/(agent-wallets|multisig|x402)(\/|$)/, 'agents'],
]

/**
 * The toolset of an operation; null where it is of none and only the whole list has it. Throws DocumentError.
 * @param stated its `x-mcp-toolset`, which counts before its path.
 */
export function toolsetOf(stated: unknown, path: string): Toolset | null {
  if (stated === undefined) return areas.find(([pattern]) => pattern.test(path))?.[1] ?? null
  const known = toolsetNames.find((name) => name === stated)
  if (!known) throw new DocumentError(`x-mcp-toolset is not one of ${toolsetNames.join(', ')}`)
  return known
}
