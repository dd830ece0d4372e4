import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'

export interface Settings {
  host: string
  port: number
  /** The address of the API, without a slash at its end; null: the one that the document names in `servers`. */
  apiUrl: string | null
  /** The address of the OpenAPI document. */
  documentUrl: string
  /** The prefix of resource URIs, which comes before a path of the API; null: the address of the API. */
  resourcesUrl: string | null
  /** The address that clients use for this process, including its path. */
  mcpUrl: string
  /** Host headers that are accepted in addition to our own, in lower case. */
  allowedHosts: readonly string[]
  /** Origins of web pages that may send requests, in addition to our own. */
  allowedOrigins: readonly string[]
  /** The key that seals texts which clients send back: 32 bytes, equal in all processes. Null: random at each start. */
  secret: Uint8Array | null
  /** The Redis that the processes of an endpoint share; null: each process works alone. */
  redisUrl: string | null
  /** The port of `/metrics`; null: nothing is measured. */
  metricsPort: number | null
  /** The last X-Forwarded-For entry is the client: all requests come through one proxy in front of this process. */
  trustProxy: boolean
  /** The limit of one caller; 0 means no limit. */
  maxCallsPerMinute: number
  logLevel: string
}

/** One or more settings are wrong. Each reason names a setting and says what is allowed; none repeats the value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'))
    this.reasons = reasons
  }
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Reads the settings, in development also from `.env`. @throws SettingsError with all reasons at once */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  if (env === process.env && env['NODE_ENV'] === 'development' && existsSync('.env')) loadEnvFile('.env')
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
  const port = read('BRIDGE_PORT', 3334, 'a port, 0 to 65535', parsePort)
  const apiPort = read('PORT', 3333, 'a port, 0 to 65535', parsePort)
  const statedDocumentUrl = read('OPENAPI_URL', null, 'an http or https address', parseDocumentUrl)
  const apiUrl = read(
    'API_URL',
    statedDocumentUrl === null ? `http://${toReachableHost(host)}:${apiPort}` : null,
    'an http or https address without query',
    parseHttpUrl,
  )
  const settings: Settings = {
    host,
    port,
    apiUrl,
    documentUrl: statedDocumentUrl ?? `${apiUrl}/openapi.json`,
    resourcesUrl: read(
      'MCP_RESOURCES_URL',
      apiUrl,
      'an address without query',
      (text) => parseHttpUrl(text) ?? parseResourcePrefix(text),
    ),
    mcpUrl: read(
      'MCP_URL',
      `http://${toReachableHost(host)}:${port}/mcp`,
      'an http or https address without query',
      parseHttpUrl,
    ),
    allowedHosts: read(
      'MCP_ALLOWED_HOSTS',
      [],
      'host names, with a port where it is not the default one, separated by commas',
      parseHosts,
    ),
    allowedOrigins: read(
      'MCP_ALLOWED_ORIGINS',
      [],
      'origins like https://example.org, separated by commas',
      parseOrigins,
    ),
    secret: read('MCP_SECRET', null, '32 bytes in base64', parseSecret),
    redisUrl: read('REDIS_URL', null, 'a redis:// or rediss:// address', parseRedisUrl),
    metricsPort: read('METRICS_PORT', null, 'a port, 1 to 65535', (text) => parsePort(text) || null),
    trustProxy: read('TRUST_PROXY', false, 'true or false', parseBoolean),
    maxCallsPerMinute: read(
      'MCP_CALLS_PER_MINUTE',
      600,
      'a whole number from 0 to 1000000000, 0 is no limit',
      parseCount,
    ),
    logLevel: read('LOG_LEVEL', 'info', levels.join(', '), (text) => (levels.includes(text) ? text : null)),
  }
  if (reasons.length > 0) throw new SettingsError(reasons)
  return settings
}

/** Returns a host name for URLs that reaches `host` from this machine. */
function toReachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

const parsePort = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : null)

const parseCount = (text: string) => (/^\d{1,10}$/.test(text) && Number(text) <= 1e9 ? Number(text) : null)

const parseBoolean = (text: string) => (text === 'true' ? true : text === 'false' ? false : null)

const parseSecret = (text: string) =>
  /^[A-Za-z0-9+/]{43}=$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : null

function parseRedisUrl(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && /^rediss?:$/.test(url.protocol) && /^rediss?:\/\/\S+$/.test(text) ? text : null
}

function parseHttpUrl(text: string): string | null {
  const url = URL.parse(text)
  const plain =
    url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
  return plain ? text.replace(/\/+$/, '') : null
}

/** Returns an address that may have a query, but no credentials, which would be in every log. */
function parseDocumentUrl(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !url.hash && !url.username && !url.password ? url.href : null
}

/** Returns a prefix for resource URIs with a scheme that nobody opens directly, like `urn:example:` or `test:/`. */
const parseResourcePrefix = (text: string) =>
  /^(?!https?:)[a-z][a-z0-9+.-]*:[\w.~!$&'()*+,;=:@%/-]*$/i.test(text) && URL.canParse(text) ? text : null

const splitAtCommas = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function parseHosts(text: string): string[] | null {
  const names = splitAtCommas(text).map((name) => name.toLowerCase())
  return names.every((name) => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(name)) ? names : null
}

function parseOrigins(text: string): string[] | null {
  const parsed = splitAtCommas(text).map((entry) => {
    const url = URL.parse(entry)
    return url !== null && url.origin !== 'null' && entry.replace(/\/$/, '').toLowerCase() === url.origin
      ? url.origin
      : null
  })
  return parsed.every((origin) => origin !== null) ? parsed : null
}
