import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { RequestKey } from '../../tools/results/api-request.ts'
import { digestText } from '../shared/digest.ts'
import { createTraceHex } from '../shared/trace-hex.ts'
import { parseTraceparent, type Trace } from './trace-parent.ts'

/** The only headers of the caller that are forwarded to the API, in the spelling of HTTP/2. */
const forwardedHeaders = ['authorization', 'x-api-key', 'cookie', 'mcp-session-id'] as const
const credentialHeaders = ['authorization', 'x-api-key', 'cookie'] as const

/** One HTTP request of a client, with the parts that are forwarded to the API. */
export interface RequestContext extends Trace {
  readonly headers: Readonly<Record<string, string>>
  /** The remote address of the client. */
  readonly clientAddress: string
  /** The caller's own idempotency key, which is sent with changes; null if there is none. */
  readonly callerKey: RequestKey | null
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
  response.on('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return {
    headers,
    clientAddress: getClientAddress(request, trustProxy),
    callerKey: readCallerKey(request),
    ...(parseTraceparent(request.headers['traceparent']) ?? createTrace()),
    callerHash: isAnonymous ? anonymousHash : hashCredentialsOf(request.socket, headers),
    isAnonymous,
    cancelSignal: controller.signal,
    cancel: () => controller.abort(),
  }
}

const createTrace = (): Trace => ({ traceId: createTraceHex(16), traceFlags: '01' })

function readCallerKey({ headers }: IncomingMessage): RequestKey | null {
  const { 'idempotency-key': key, 'idempotency-window': window } = headers
  return typeof key === 'string' ? { key, window: typeof window === 'string' ? window : null } : null
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

/** Returns one text for the credentials of a request; equal credentials have equal texts. */
export const joinCredentials = (headers: Readonly<Record<string, string>>): string =>
  JSON.stringify(credentialHeaders.map((name) => headers[name] ?? null))

const hashCredentials = (headers: Readonly<Record<string, string>>): string => digestText(joinCredentials(headers))

const anonymousHash = hashCredentials({})

/** The credentials that each connection sent last, and their hash: most send the same ones again and again. */
const hashedCredentials = new WeakMap<Socket, { credentials: string; hash: string }>()

function hashCredentialsOf(socket: Socket, headers: Readonly<Record<string, string>>): string {
  const credentials = joinCredentials(headers)
  const known = hashedCredentials.get(socket)
  if (known?.credentials === credentials) return known.hash
  const hash = digestText(credentials)
  hashedCredentials.set(socket, { credentials, hash })
  return hash
}
