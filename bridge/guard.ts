import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Settings } from './settings.ts'

/** Why a request is not taken. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

/** Headers that would mean two things if they came twice. */
const single = new Set([
  'host',
  'origin',
  'authorization',
  'x-api-key',
  'cookie',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'x-mcp-toolsets',
  'x-mcp-readonly',
  'x-mcp-read-tools',
  'content-type',
  'content-length',
])

/** What pages may send, beside the arguments that a tool wants repeated as headers. */
const pageHeaders = [
  'Authorization',
  'X-Api-Key',
  'Content-Type',
  'Accept',
  'Mcp-Session-Id',
  'Mcp-Protocol-Version',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'X-MCP-Toolsets',
  'X-MCP-Readonly',
  'X-MCP-Read-Tools',
]

/** Judges where a request comes from and where it thinks it goes. Source: MCP 2025-11-25, transports, security. */
export class Guard {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  /** @param port the one that is listened on. */
  constructor(settings: Settings, port: number) {
    const mcp = new URL(settings.mcpUrl)
    const names = [
      'localhost',
      '127.0.0.1',
      '[::1]',
      settings.host.includes(':') ? `[${settings.host}]` : settings.host,
    ]
    const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
    this.#hosts = new Set([...own, mcp.host, ...settings.allowedHosts].map((host) => host.toLowerCase()))
    this.#origins = new Set([
      ...own.map((host) => new URL(`http://${host}`).origin),
      mcp.origin,
      ...settings.allowedOrigins,
    ])
  }

  refuse(request: IncomingMessage): Refusal | null {
    const twice = repeated(request)
    if (twice !== null) return { status: 400, message: `The header ${twice} came twice` }
    if (!this.#hosts.has((request.headers.host ?? '').toLowerCase()))
      return { status: 403, message: 'The Host header is not one of this server' }
    const { origin, 'sec-fetch-site': site } = request.headers
    // A page of another site that only navigates here, or loads this as a picture, says no Origin.
    const foreign = origin === undefined ? site === 'cross-site' || site === 'same-site' : !this.#origins.has(origin)
    return foreign ? { status: 403, message: 'Pages of this origin may not call' } : null
  }

  /** Lets pages of an allowed origin read the answer; never with credentials that the browser adds by itself. */
  allowPage(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    response.setHeader('Vary', 'Origin')
    if (origin === undefined) return
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id')
    if (request.method !== 'OPTIONS') return
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
    response.setHeader('Access-Control-Allow-Headers', [...pageHeaders, ...repeatedArguments(request)].join(', '))
    response.setHeader('Access-Control-Max-Age', '600')
  }
}

/** The names that a page asks for and that only a tool can know. Source: MCP 2026-07-28, custom headers. */
function repeatedArguments({ headers }: IncomingMessage): string[] {
  const wanted = headers['access-control-request-headers'] ?? ''
  return wanted.split(',').flatMap((name) => (/^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i.test(name.trim()) ? [name.trim()] : []))
}

/** A header that came twice although it counts once. Node joins equal names, so most requests need no closer look. */
function repeated({ headers, rawHeaders }: IncomingMessage): string | null {
  if (Object.keys(headers).length * 2 === rawHeaders.length) return null
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (seen.has(name) && (single.has(name) || name.startsWith('mcp-param-'))) return name
    seen.add(name)
  }
  return null
}
