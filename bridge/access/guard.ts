import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Settings } from './settings.ts'

/** The reason for which a request is refused. */
export interface RequestRefusal {
  readonly status: number
  readonly message: string
}

/** Headers that would be ambiguous if they came twice. */
const singleHeaders = new Set([
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
  'idempotency-key',
  'idempotency-window',
  'content-type',
  'content-length',
])

/** The headers that web pages may send. Arguments that a tool wants repeated as headers come in addition. */
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
  'Idempotency-Key',
  'Idempotency-Window',
]

/** Checks the origin and the host of a request. Source: MCP 2025-11-25, transports, security. */
export class Guard {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  /** @param port the port that the server listens on */
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

  findRefusal(request: IncomingMessage): RequestRefusal | null {
    const twice = findRepeatedHeader(request)
    if (twice !== null) return { status: 400, message: `The header ${twice} came twice` }
    if (!this.#hosts.has((request.headers.host ?? '').toLowerCase()))
      return { status: 403, message: 'The Host header is not one of this server' }
    const { origin, 'sec-fetch-site': site } = request.headers
    // A page of another site that only navigates here, or loads this address as a picture, sends no Origin.
    const foreign = origin === undefined ? site === 'cross-site' || site === 'same-site' : !this.#origins.has(origin)
    return foreign ? { status: 403, message: 'Pages of this origin may not call' } : null
  }

  /** Lets pages of an allowed origin read the response, but never with credentials that the browser adds by itself. */
  setCorsHeaders(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    response.setHeader('Vary', 'Origin')
    if (origin === undefined) return
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id')
    if (request.method !== 'OPTIONS') return
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
    response.setHeader(
      'Access-Control-Allow-Headers',
      [...pageHeaders, ...getRequestedParamHeaders(request)].join(', '),
    )
    response.setHeader('Access-Control-Max-Age', '600')
  }
}

/** Returns the requested `Mcp-Param-…` headers, which only a tool can know. Source: MCP 2026-07-28, custom headers. */
function getRequestedParamHeaders({ headers }: IncomingMessage): string[] {
  const wanted = headers['access-control-request-headers'] ?? ''
  return wanted
    .split(',')
    .flatMap((name) => (/^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i.test(name.trim()) ? [name.trim()] : []))
}

/** Finds a repeated header that may come only once. Node joins equal names, so most requests need no closer look. */
function findRepeatedHeader({ headers, rawHeaders }: IncomingMessage): string | null {
  if (Object.keys(headers).length * 2 === rawHeaders.length) return null
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (seen.has(name) && (singleHeaders.has(name) || name.startsWith('mcp-param-'))) return name
    seen.add(name)
  }
  return null
}
