import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadEnvFile } from 'node:process'
import { Ajv, type ErrorObject } from 'ajv'
import { networkNames, type Network } from './chains/networks.ts'
import { StartError } from './kernel/process.ts'
import { Environment, networkPrefix } from './settings.environment.ts'

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<S>

/** Every variable under its own name in camel case: `BRIDGE_PORT` is `bridgePort`. */
type Plain = { [K in Exclude<keyof Environment, Derived | 'NODE_ENV' | 'TESSERA_FAULT'> as Camel<K>]: Environment[K] }
type Derived = 'BASE_URL' | 'PUBLIC_URL' | 'MCP_URL' | 'API_URL'

export type Settings = Plain & {
  production: boolean
  development: boolean
  baseUrl: string
  publicUrl: string
  mcpUrl: string
  apiUrl: string
  /** RPC address by network; a network without one is known but not usable. */
  rpcUrls: Partial<Record<Network, string>>
  /** Private keys of the addresses that send a network's transactions. */
  senderKeys: Partial<Record<Network, string[]>>
  /** Addresses that own the contracts of a network: a multisig account, never a sender. */
  owners: Partial<Record<Network, string>>
  /** The most that the signer pays for a unit of gas, in gwei. */
  maxFeeGwei: Partial<Record<Network, number>>
  /** Where a test wants this process to end, `<point>` or `<point>:<nth time>`. */
  faultPoint?: string
}

/** A setting is missing or wrong. Each reason names it and says what is allowed; none repeats a secret value. */
export class SettingsError extends StartError {
  override name = 'SettingsError'

  constructor(...reasons: string[]) {
    super(reasons)
  }
}

const envFile = join(import.meta.dirname, '../.env')

const judge = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true, verbose: true }).compile(Environment)

const listed = [
  'DNS_RESOLVERS', 'OUTBOUND_ALLOW', 'OUTBOUND_RESOLVE', 'ALLOWED_HOSTS', 'KEY_ENCRYPTION_KEYS_OLD', 'SIGNER_KEY_ENCRYPTION_KEYS_OLD',
]

/**
 * Reads the settings, from `.env` too when this process runs in development.
 * @param reasonsAgainst what this kind of process refuses beside what all do, a sentence each
 * @throws SettingsError with every reason at once
 */
export function readSettings(
  env: NodeJS.ProcessEnv = process.env, reasonsAgainst: (settings: Settings) => string[] = () => [],
): Settings {
  if (env === process.env && isDevelopment(env) && existsSync(envFile)) loadEnvFile(envFile)
  const given = present(env)
  const lists = Object.fromEntries(listed.map((name) => [name, commas(given[name])]))
  const candidate: Record<string, unknown> = { ...given, ...lists }
  if (!judge(candidate)) throw new SettingsError(...new Set((judge.errors ?? []).map(refusal)))
  const environment = candidate as Environment
  const { NODE_ENV, TESSERA_FAULT, ...rest } = environment
  const settings: Settings = {
    ...plain(rest),
    ...addresses(environment),
    dataDir: resolve(environment.DATA_DIR),
    production: NODE_ENV === 'production',
    development: NODE_ENV === 'development',
    rpcUrls: networks(given, 'RPC_URL', rpcUrl),
    senderKeys: networks(given, 'SENDER_KEYS', privateKeys),
    owners: { ...developmentOwners(environment), ...networks(given, 'OWNER', ownerAddress) },
    maxFeeGwei: networks(given, 'MAX_FEE_GWEI', gwei),
    ...(TESSERA_FAULT === undefined ? {} : { faultPoint: TESSERA_FAULT }),
  }
  const reasons = [...productionReasons(environment), ...reasonsAgainst(settings)]
  if (reasons.length > 0) throw new SettingsError(...reasons)
  return settings
}

/** Checks that the named settings are there. @throws SettingsError that names each missing one */
export function demand<K extends keyof Settings>(settings: Settings, ...names: K[]) {
  const missing = names.filter((name) => settings[name] === undefined)
  if (missing.length > 0) throw new SettingsError(...missing.map((name) => `${upper(name)} is not set; this process needs it`))
  return settings as Settings & { [N in K]-?: NonNullable<Settings[N]> }
}

const isDevelopment = (env: NodeJS.ProcessEnv) => env['NODE_ENV'] === 'development'

const present = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]?.trim()))

const commas = (text: string | undefined) => (text ?? '').split(',').map((part) => part.trim()).filter(Boolean)

const upper = (name: string) => name.replace(/[A-Z]/g, '_$&').toUpperCase()

function refusal(error: ErrorObject): string {
  const name = error.instancePath.split('/')[1] ?? ''
  const { properties } = Environment as { properties: Record<string, { description?: string }> }
  return `${name} is not allowed: it must be ${properties[name]?.description ?? 'left out'}`
}

/** What no process of production may have. Settings that only some processes need are asked for by those. */
function productionReasons(environment: Environment): string[] {
  if (environment.NODE_ENV !== 'production') return []
  const refused: string[] = []
  if (environment.KEY_ENCRYPTION_KEY === undefined && environment.SIGNER_KEY_ENCRYPTION_KEY === undefined) {
    refused.push('KEY_ENCRYPTION_KEY is not set; production needs it: 32 bytes in base64')
  }
  if (environment.TESSERA_FAULT !== undefined) refused.push('TESSERA_FAULT is not allowed in production')
  if (environment.OUTBOUND_RESOLVE.length > 0) refused.push('OUTBOUND_RESOLVE is not allowed in production')
  if (environment.VC_API_TEST_PORT !== undefined) {
    refused.push('VC_API_TEST_PORT is not allowed in production: whoever reaches it has credentials signed')
  }
  return refused
}

function plain(rest: Omit<Environment, 'NODE_ENV' | 'TESSERA_FAULT'>): Plain {
  const known = Object.keys(Environment.properties).filter((name) => name in rest)
  const camel = (name: string) => name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(known.map((name) => [camel(name), rest[name as keyof typeof rest]])) as Plain
}

function addresses(environment: Environment) {
  const { HOST, PORT, BRIDGE_PORT } = environment
  const everywhere = HOST === '0.0.0.0' || HOST === '::'
  const host = everywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  const baseUrl = bare(environment.BASE_URL ?? `http://${host}:${PORT}`)
  return {
    baseUrl,
    publicUrl: bare(environment.PUBLIC_URL ?? baseUrl),
    apiUrl: bare(environment.API_URL ?? `http://${host}:${PORT}`),
    mcpUrl: bare(environment.MCP_URL ?? `http://${host}:${BRIDGE_PORT}/mcp`),
  }
}

const bare = (address: string) => address.replace(/\/+$/, '')

function networks<T>(given: Record<string, string>, ending: string, read: (name: string, text: string) => T) {
  const found: Partial<Record<Network, T>> = {}
  for (const network of networkNames) {
    const name = `${networkPrefix(network)}_${ending}`
    const alias = network === 'EthereumAnvil' ? given[`ANVIL_${ending}`] : undefined
    const text = given[name] ?? alias
    if (text !== undefined) found[network] = read(name, text)
  }
  return found
}

/** In development the node's second account owns the contracts; its key is no secret. Source: Foundry, anvil. */
const developmentOwners = ({ NODE_ENV }: Environment): Partial<Record<Network, string>> =>
  NODE_ENV === 'production' ? {} : { EthereumAnvil: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }

function ownerAddress(name: string, text: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text)) return text
  throw new SettingsError(`${name} is not allowed: it must be an address, 0x and 40 hexadecimal digits, not zero`)
}

function gwei(name: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  throw new SettingsError(`${name} is not allowed: it must be a whole number from 1 to 999999999 (gwei)`)
}

function rpcUrl(name: string, text: string): string {
  if (/^https?:\/\/[^\s/]+/.test(text)) return text
  throw new SettingsError(`${name} is not allowed: it must be an http or https address`)
}

function privateKeys(name: string, text: string): string[] {
  const keys = commas(text)
  if (keys.length > 0 && keys.every((key) => /^(0x[0-9a-fA-F]{1,64}|S[A-Z2-7]{55})$/.test(key))) return keys
  throw new SettingsError(
    `${name} is not allowed: it must be private keys (0x and hexadecimal digits, or S…), separated by commas`,
  )
}
