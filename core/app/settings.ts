import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadEnvFile } from 'node:process'
import { Ajv, type ErrorObject } from 'ajv'
import { networkNames, type Network } from '../chains/networks.ts'
import { StartError } from '../kernel/process/process.ts'
import { Environment, toVariablePrefix } from './settings.environment.ts'

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>

/** The variables under their names in camel case: `BRIDGE_PORT` is `bridgePort`. */
type PlainSettings = {
  [K in Exclude<keyof Environment, DerivedVariable | 'NODE_ENV' | 'TESSERA_FAULT'> as CamelCase<K>]: Environment[K]
}
type DerivedVariable = 'BASE_URL' | 'PUBLIC_URL' | 'MCP_URL' | 'API_URL'

export type Settings = PlainSettings & {
  production: boolean
  development: boolean
  baseUrl: string
  publicUrl: string
  mcpUrl: string
  apiUrl: string
  /** RPC address by network; a network without one is known but not usable. */
  rpcUrls: Partial<Record<Network, string>>
  /** Private keys of the accounts that send the transactions of a network. */
  senderKeys: Partial<Record<Network, string[]>>
  /** Addresses that own the contracts of a network: a multisig account, never a sender. */
  owners: Partial<Record<Network, string>>
  /** Maximum price that the signer pays for a unit of gas, in gwei. */
  maxFeeGwei: Partial<Record<Network, number>>
  /** The fault point at which a test kills this process: `<point>` or `<point>:<nth time>`. */
  faultPoint?: string
}

/**
 * Thrown for a missing or wrong setting. Each reason names the setting and says what is allowed; none repeats a secret
 * value.
 */
export class SettingsError extends StartError {
  override name = 'SettingsError'

  constructor(...reasons: string[]) {
    super(reasons)
  }
}

const envFile = join(import.meta.dirname, '../../.env')

const validateEnvironment = new Ajv({
  coerceTypes: true,
  useDefaults: true,
  allErrors: true,
  verbose: true,
  // A test holds the schema to the meta-schema; to do that at every start would cost as much as to compile it.
  validateSchema: false,
}).compile(Environment)

const listVariables = [
  'DNS_RESOLVERS',
  'OUTBOUND_ALLOW',
  'OUTBOUND_RESOLVE',
  'ALLOWED_HOSTS',
  'KEY_ENCRYPTION_KEYS_OLD',
  'SIGNER_KEY_ENCRYPTION_KEYS_OLD',
]

/**
 * Reads the settings from the environment, and in development also from `.env`.
 * @param listReasonsAgainst lists what this kind of process refuses in addition, one sentence for each
 * @throws SettingsError with all reasons at once
 */
export function readSettings(
  env: NodeJS.ProcessEnv = process.env,
  listReasonsAgainst: (settings: Settings) => string[] = () => [],
): Settings {
  if (env === process.env && isDevelopment(env) && existsSync(envFile)) loadEnvFile(envFile)
  const variables = pickNonEmpty(env)
  const listValues = Object.fromEntries(listVariables.map((name) => [name, splitCommas(variables[name])]))
  const candidate: Record<string, unknown> = { ...variables, ...listValues }
  if (!validateEnvironment(candidate))
    throw new SettingsError(...new Set((validateEnvironment.errors ?? []).map(formatRefusal)))
  const environment = candidate as Environment
  const { NODE_ENV, TESSERA_FAULT, ...rest } = environment
  const settings: Settings = {
    ...toPlainSettings(rest),
    ...deriveAddresses(environment),
    dataDir: resolve(environment.DATA_DIR),
    production: NODE_ENV === 'production',
    development: NODE_ENV === 'development',
    rpcUrls: readNetworkVariables(variables, 'RPC_URL', parseRpcUrl),
    senderKeys: readNetworkVariables(variables, 'SENDER_KEYS', parsePrivateKeys),
    owners: { ...getDevelopmentOwners(environment), ...readNetworkVariables(variables, 'OWNER', parseOwnerAddress) },
    maxFeeGwei: readNetworkVariables(variables, 'MAX_FEE_GWEI', parseGwei),
    ...(TESSERA_FAULT === undefined ? {} : { faultPoint: TESSERA_FAULT }),
  }
  const reasons = [...listProductionReasons(environment), ...listReasonsAgainst(settings)]
  if (reasons.length > 0) throw new SettingsError(...reasons)
  return settings
}

/** Checks that settings are present. @throws SettingsError that names each missing one */
export function assertSettings<K extends keyof Settings>(settings: Settings, ...names: K[]) {
  const missing = names.filter((name) => settings[name] === undefined)
  if (missing.length > 0)
    throw new SettingsError(...missing.map((name) => `${toVariableName(name)} is not set; this process needs it`))
  return settings as Settings & { [N in K]-?: NonNullable<Settings[N]> }
}

const isDevelopment = (env: NodeJS.ProcessEnv) => env['NODE_ENV'] === 'development'

const pickNonEmpty = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]?.trim()))

const splitCommas = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const toVariableName = (name: string) => name.replace(/[A-Z]/g, '_$&').toUpperCase()

function formatRefusal(error: ErrorObject): string {
  const name = error.instancePath.split('/')[1] ?? ''
  const { properties } = Environment as { properties: Record<string, { description?: string }> }
  return `${name} is not allowed: it must be ${properties[name]?.description ?? 'left out'}`
}

/** Lists what no production process may have. Settings that only some processes need are checked by those processes. */
function listProductionReasons(environment: Environment): string[] {
  if (environment.NODE_ENV !== 'production') return []
  const refusals: string[] = []
  if (environment.KEY_ENCRYPTION_KEY === undefined && environment.SIGNER_KEY_ENCRYPTION_KEY === undefined) {
    refusals.push('KEY_ENCRYPTION_KEY is not set; production needs it: 32 bytes in base64')
  }
  if (environment.TESSERA_FAULT !== undefined) refusals.push('TESSERA_FAULT is not allowed in production')
  if (environment.APNS_CA !== undefined) refusals.push('APNS_CA is not allowed in production')
  if (environment.OUTBOUND_RESOLVE.length > 0) refusals.push('OUTBOUND_RESOLVE is not allowed in production')
  return refusals
}

function toPlainSettings(rest: Omit<Environment, 'NODE_ENV' | 'TESSERA_FAULT'>): PlainSettings {
  const known = Object.keys(Environment.properties).filter((name) => name in rest)
  const toCamelCase = (name: string) => name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(known.map((name) => [toCamelCase(name), rest[name as keyof typeof rest]])) as PlainSettings
}

function deriveAddresses(environment: Environment) {
  const { HOST, PORT, BRIDGE_PORT } = environment
  const listensEverywhere = HOST === '0.0.0.0' || HOST === '::'
  const host = listensEverywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  const baseUrl = trimSlashes(environment.BASE_URL ?? `http://${host}:${PORT}`)
  return {
    baseUrl,
    publicUrl: trimSlashes(environment.PUBLIC_URL ?? baseUrl),
    apiUrl: trimSlashes(environment.API_URL ?? `http://${host}:${PORT}`),
    mcpUrl: trimSlashes(environment.MCP_URL ?? `http://${host}:${BRIDGE_PORT}/mcp`),
  }
}

const trimSlashes = (address: string) => address.replace(/\/+$/, '')

function readNetworkVariables<T>(
  variables: Record<string, string>,
  ending: string,
  parseValue: (name: string, text: string) => T,
) {
  const values: Partial<Record<Network, T>> = {}
  for (const network of networkNames) {
    const name = `${toVariablePrefix(network)}_${ending}`
    const alias = network === 'EthereumAnvil' ? variables[`ANVIL_${ending}`] : undefined
    const text = variables[name] ?? alias
    if (text !== undefined) values[network] = parseValue(name, text)
  }
  return values
}

/**
 * Returns the owner of the development contracts, the second account of the local node. Its key is public. Source:
 * Foundry, anvil.
 */
const getDevelopmentOwners = ({ NODE_ENV }: Environment): Partial<Record<Network, string>> =>
  NODE_ENV === 'production' ? {} : { EthereumAnvil: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }

function parseOwnerAddress(name: string, text: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text)) return text
  throw new SettingsError(`${name} is not allowed: it must be an address, 0x and 40 hexadecimal digits, not zero`)
}

function parseGwei(name: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  throw new SettingsError(`${name} is not allowed: it must be a whole number from 1 to 999999999 (gwei)`)
}

function parseRpcUrl(name: string, text: string): string {
  if (/^https?:\/\/[^\s/]+/.test(text)) return text
  throw new SettingsError(`${name} is not allowed: it must be an http or https address`)
}

function parsePrivateKeys(name: string, text: string): string[] {
  const keys = splitCommas(text)
  if (keys.length > 0 && keys.every((key) => /^(0x[0-9a-fA-F]{1,64}|S[A-Z2-7]{55})$/.test(key))) return keys
  throw new SettingsError(
    `${name} is not allowed: it must be private keys (0x and hexadecimal digits, or S…), separated by commas`,
  )
}
