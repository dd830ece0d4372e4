import { hash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'

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
  /** There are no credentials. */
  readonly anonymous: boolean
  /** Aborted when the client is gone before it has its whole answer. */
  readonly gone: AbortSignal
  /** The client takes the request back: `gone` is aborted. */
  readonly leave: () => void
}

/** @param trustProxy there is a proxy in front, which says who the client is */
export function exchangeOf(request: IncomingMessage, response: ServerResponse, trustProxy = false): Exchange {
  const headers: Record<string, string> = {}
  for (const name of forwarded) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const anonymous = credentials.every((name) => headers[name] === undefined)
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return {
    headers,
    address: addressOf(request, trustProxy),
    trace: randomUUID().replaceAll('-', ''),
    owner: anonymous ? nobody : ownerOf(headers),
    anonymous,
    gone: gone.signal,
    leave: () => gone.abort(),
  }
}

/** The proxy adds its peer at the end of X-Forwarded-For; what stands before is what clients say of themselves. */
function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const told = trustProxy ? ([headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim() ?? '') : ''
  return (isIP(told) ? told : (socket.remoteAddress ?? '')).replace(/^::ffff:/, '')
}

function ownerOf(headers: Readonly<Record<string, string>>): string {
  return hash('sha256', JSON.stringify(credentials.map((name) => headers[name] ?? null)), 'base64url')
}

const nobody = ownerOf({})
