import { hash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'

/** The only headers of the caller that are forwarded to the API, in the spelling of HTTP/2. */
const forwardedHeaders = ['authorization', 'x-api-key', 'cookie', 'mcp-session-id'] as const
const credentialHeaders = ['authorization', 'x-api-key', 'cookie'] as const

/** One HTTP request of a client, with the parts that are forwarded to the API. */
export interface RequestContext {
  readonly headers: Readonly<Record<string, string>>
  /** The remote address of the client. */
  readonly clientAddress: string
  /** The trace id of everything that is done for this request, 32 hexadecimal digits. Source: W3C Trace Context. */
  readonly traceId: string
  /** A hash of the caller's credentials; equal credentials have equal hashes. */
  readonly callerHash: string
  /** True if the request has no credentials. */
  readonly isAnonymous: boolean
  /** Aborted when the client is gone before it has the whole response. */
  readonly cancelSignal: AbortSignal
  /** Cancels the request for the client: aborts `cancelSignal`. */
  readonly cancel: () => void
}

/** Creates the context of a request. @param trustProxy a proxy in front of this process names the client */
export function createRequestContext(
  request: IncomingMessage,
  response: ServerResponse,
  trustProxy = false,
): RequestContext {
  const headers: Record<string, string> = {}
  for (const name of forwardedHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const isAnonymous = credentialHeaders.every((name) => headers[name] === undefined)
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return {
    headers,
    clientAddress: getClientAddress(request, trustProxy),
    traceId: randomUUID().replaceAll('-', ''),
    callerHash: isAnonymous ? anonymousHash : hashCredentials(headers),
    isAnonymous,
    cancelSignal: controller.signal,
    cancel: () => controller.abort(),
  }
}

/**
 * Returns the client's address. The proxy appends its peer to X-Forwarded-For; clients can forge all earlier entries.
 */
function getClientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwardedAddress = trustProxy
    ? ([headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim() ?? '')
    : ''
  return (isIP(forwardedAddress) ? forwardedAddress : (socket.remoteAddress ?? '')).replace(/^::ffff:/, '')
}

function hashCredentials(headers: Readonly<Record<string, string>>): string {
  return hash('sha256', JSON.stringify(credentialHeaders.map((name) => headers[name] ?? null)), 'base64url')
}

const anonymousHash = hashCredentials({})
