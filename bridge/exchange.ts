import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The caller's headers that reach the API, in the spelling of HTTP/2. Nothing else of a request does. */
const forwarded = ['authorization', 'x-api-key', 'cookie', 'mcp-session-id'] as const
const credentials = ['authorization', 'x-api-key', 'cookie'] as const

/** One HTTP request of a client, and what of it reaches the API. */
export interface Exchange {
  readonly headers: Readonly<Record<string, string>>
  /** Remote address of the client. */
  readonly address: string
  /** Trace id of everything done for this request, 32 hexadecimal digits. Source: W3C Trace Context. */
  readonly trace: string
  /** Stands for the caller's credentials; equal for equal ones. */
  readonly owner: string
  /** Aborted when the client is gone before it has its whole answer. */
  readonly gone: AbortSignal
}

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const headers: Record<string, string> = {}
  for (const name of forwarded) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return {
    headers,
    address: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    trace: randomUUID().replaceAll('-', ''),
    owner: ownerOf(headers),
    gone: gone.signal,
  }
}

function ownerOf(headers: Readonly<Record<string, string>>): string {
  return createHash('sha256')
    .update(JSON.stringify(credentials.map((name) => headers[name] ?? null)))
    .digest('base64url')
}
