import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'

export interface Settings {
  host: string
  port: number
  /** Where the API answers, without a slash at its end. Resources are named by it. */
  apiUrl: string
  /** The address that clients use for this process, ending in its path. */
  mcpUrl: string
  /** Host headers that are taken beside our own, lower case. */
  allowedHosts: readonly string[]
  /** Origins of pages that may call, beside our own. */
  allowedOrigins: readonly string[]
  logLevel: string
}

/** A setting is wrong. The message names it and says what is allowed; it never repeats the value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Reads the settings, from `.env` too when this process runs in development. Throws SettingsError. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  if (env === process.env && (env['NODE_ENV'] ?? 'development') === 'development' && existsSync('.env'))
    loadEnvFile('.env')
  const read = <T>(name: string, fallback: T, allowed: string, parse: (text: string) => T | null): T => {
    const text = env[name]?.trim()
    if (!text) return fallback
    const value = parse(text)
    if (value === null) throw new SettingsError(`${name} is not allowed: it must be ${allowed}`)
    return value
  }
  const host = read('HOST', '127.0.0.1', 'an address or name of this machine', (text) =>
    /^[A-Za-z0-9.:_-]+$/.test(text) ? text : null,
  )
  const port = read('BRIDGE_PORT', 3334, 'a port, 0 to 65535', portNumber)
  const apiPort = read('PORT', 3333, 'a port, 0 to 65535', portNumber)
  return {
    host,
    port,
    apiUrl: read('API_URL', `http://${reachable(host)}:${apiPort}`, 'an http or https address without query', address),
    mcpUrl: read('MCP_URL', `http://${reachable(host)}:${port}/mcp`, 'an http or https address without query', address),
    allowedHosts: read(
      'MCP_ALLOWED_HOSTS',
      [],
      'host names, with a port where it is not the default one, separated by commas',
      hosts,
    ),
    allowedOrigins: read('MCP_ALLOWED_ORIGINS', [], 'origins like https://example.org, separated by commas', origins),
    logLevel: read('LOG_LEVEL', 'info', levels.join(', '), (text) => (levels.includes(text) ? text : null)),
  }
}

/** A name that reaches the host from this machine, as it stands in an address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

const portNumber = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : null)

function address(text: string): string | null {
  const url = URL.parse(text)
  const plain =
    url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
  return plain ? text.replace(/\/+$/, '') : null
}

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
