import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import { buildConnector, Client, errors, type Dispatcher } from 'undici'
import { OutboundError, type OutboundReason } from '../kernel/ports/outbound.ts'
import type { FetchTarget } from './target.ts'

/** Timeout in milliseconds for TCP and TLS. The caller sets the timeout of the whole fetch. */
const connectTimeoutMs = 10_000

/**
 * Sends one GET, or one POST of a form, to the checked addresses of a target and to no others, under the requested name. The connection is only
 * for this request and ends with it: no shared connections, no proxy, no TLS session is reused.
 * @param handleResponse reads what it needs of the response before the connection ends @throws OutboundError
 */
export async function sendToTarget<T>(
  { url, addresses, port }: FetchTarget,
  { headers, form, signal }: { headers: Record<string, string>; form?: string | undefined; signal: AbortSignal },
  handleResponse: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const connect = buildConnector({
    lookup: createPinnedLookup(addresses),
    timeout: connectTimeoutMs,
    maxCachedSessions: 0,
    allowH2: false,
  })
  const client = new Client(url.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, done) =>
      connect({ ...options, port: `${port}` }, (error: Error | null, socket) => {
        if (error) done(toConnectionError(error, url.protocol), null)
        else done(null, socket as NonNullable<typeof socket>)
      }),
  })
  try {
    return await handleResponse(
      await client.request({
        method: form === undefined ? 'GET' : 'POST',
        path: `${url.pathname}${url.search}`,
        headers,
        body: form ?? null,
        signal,
        reset: true,
      }),
    )
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause
    throw new OutboundError(getOutboundReason(cause), `${url.hostname} did not answer`, { cause })
  } finally {
    await client.destroy()
  }
}

type LookupCallback = (error: null, found: LookupAddress[] | string, family?: number) => void

/** Creates a socket's lookup function that returns known addresses. */
const createPinnedLookup =
  (addresses: readonly string[]) => (_name: string, options: LookupOptions, callback: LookupCallback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    if (options.all === true || first === undefined) callback(null, found)
    else callback(null, first.address, first.family)
  }

function toConnectionError(cause: Error, protocol: string): OutboundError {
  const { code, syscall } = cause as NodeJS.ErrnoException
  const reason =
    cause instanceof errors.ConnectTimeoutError
      ? 'timeout'
      : cause instanceof AggregateError || syscall === 'connect' || protocol === 'http:'
        ? 'unreachable'
        : 'tls_failed'
  return new OutboundError(reason, `no connection (${code ?? cause.name})`, { cause })
}

/** Returns the reason for an error of the connection or of the body. */
export function getOutboundReason(cause: unknown): OutboundReason {
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  if (cause instanceof errors.HeadersOverflowError || code === 'HPE_HEADER_OVERFLOW') return 'too_large'
  if (code.startsWith('HPE_')) return 'http_status'
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'tls_failed'
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR_ZSTD')) return 'content_type'
  return 'unreachable'
}
