import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'

export interface Settings {
  host: string
  port: number
  /** Where the API answers, without a slash at its end. */
  apiUrl: string
  /** What the names of resources begin with, before a path of the API. */
  resourcesUrl: string
  /** The address that clients use for this process, ending in its path. */
  mcpUrl: string
  /** Host headers that are taken beside our own, lower case. */
  allowedHosts: readonly string[]
  /** Origins of pages that may call, beside our own. */
  allowedOrigins: readonly string[]
  /** 32 bytes, the same in every process of an endpoint: seals what clients hand back. Null: made at the start. */
  secret: Uint8Array | null
  /** Where the processes of an endpoint meet; null: each is alone. */
  redisUrl: string | null
  /** Port of `/metrics`; null: nothing is counted. */
  metricsPort: number | null
  /** The last X-Forwarded-For names the client: there is a proxy in front of this process, and no other way to it. */
  trustProxy: boolean
  /** Of one caller; 0 is no limit. */
  callsPerMinute: number
  logLevel: string
}

/** A setting is wrong. Each reason names one and says what is allowed; none repeats the value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'))
    this.reasons = reasons
  }
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Reads the settings, from `.env` too when this process runs in development. @throws SettingsError with every reason at once */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  if (env === process.env && env['NODE_ENV'] === 'development' && existsSync('.env'))
    loadEnvFile('.env')
  const reasons: string[] = []
  const read = <T>(name: string, fallback: T, allowed: string, parse: (text: string) => T | null): T => {
    const text = env[name]?.trim()
    if (!text) return fallback
    const value = parse(text)
    if (value === null) reasons.push(`${name} is not allowed: it must be ${allowed}`)
    return value ?? fallback
  }
  const host = read('HOST', '127.0.0.1', 'an address or name of this machine', (text) =>
    /^[A-Za-z0-9.:_-]+$/.test(text) ? text : null,
  )
  const port = read('BRIDGE_PORT', 3334, 'a port, 0 to 65535', portNumber)
  const apiPort = read('PORT', 3333, 'a port, 0 to 65535', portNumber)
  const apiUrl = read(
    'API_URL',
    `http://${reachable(host)}:${apiPort}`,
    'an http or https address without query',
    address,
  )
  const settings: Settings = {
    host,
    port,
    apiUrl,
    resourcesUrl: read('MCP_RESOURCES_URL', apiUrl, 'an address without query', (text) => address(text) ?? name(text)),
    mcpUrl: read('MCP_URL', `http://${reachable(host)}:${port}/mcp`, 'an http or https address without query', address),
    allowedHosts: read(
      'MCP_ALLOWED_HOSTS',
      [],
      'host names, with a port where it is not the default one, separated by commas',
      hosts,
    ),
    allowedOrigins: read('MCP_ALLOWED_ORIGINS', [], 'origins like https://example.org, separated by commas', origins),
    secret: read('MCP_SECRET', null, '32 bytes in base64', secret),
    redisUrl: read('REDIS_URL', null, 'a redis:// or rediss:// address', redisAddress),
    metricsPort: read('METRICS_PORT', null, 'a port, 1 to 65535', (text) => portNumber(text) || null),
    trustProxy: read('TRUST_PROXY', false, 'true or false', truth),
    callsPerMinute: read('MCP_CALLS_PER_MINUTE', 600, 'a whole number from 0 to 1000000000, 0 is no limit', count),
    logLevel: read('LOG_LEVEL', 'info', levels.join(', '), (text) => (levels.includes(text) ? text : null)),
  }
  if (reasons.length > 0) throw new SettingsError(reasons)
  return settings
}

/** A name that reaches the host from this machine, as it stands in an address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

const portNumber = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : null)

const count = (text: string) => (/^\d{1,10}$/.test(text) && Number(text) <= 1e9 ? Number(text) : null)

const truth = (text: string) => (text === 'true' ? true : text === 'false' ? false : null)

const secret = (text: string) => (/^[A-Za-z0-9+/]{43}=$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : null)

function redisAddress(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && /^rediss?:$/.test(url.protocol) && /^rediss?:\/\/\S+$/.test(text) ? text : null
}

function address(text: string): string | null {
  const url = URL.parse(text)
  const plain =
    url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
  return plain ? text.replace(/\/+$/, '') : null
}

/** The beginning of names that nobody opens as they are, of a scheme of its own: `urn:example:` or `test:/`. */
const name = (text: string) =>
  /^(?!https?:)[a-z][a-z0-9+.-]*:[\w.~!$&'()*+,;=:@%/-]*$/i.test(text) && URL.canParse(text) ? text : null

const commas = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function hosts(text: string): string[] | null {
  const names = commas(text).map((name) => name.toLowerCase())
  return names.every((name) => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(name)) ? names : null
}

function origins(text: string): string[] | null {
  const found = commas(text).map((entry) => {
    const url = URL.parse(entry)
    return url !== null && url.origin !== 'null' && entry.replace(/\/$/, '').toLowerCase() === url.origin
      ? url.origin
      : null
  })
  return found.every((origin) => origin !== null) ? found : null
}
