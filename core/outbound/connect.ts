import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import { buildConnector, Client, errors, type Dispatcher } from 'undici'
import { OutboundError, type OutboundReason } from '../kernel/parts.ts'
import type { Target } from './target.ts'

/** Milliseconds for TCP and TLS; how long all of a fetch may take is its caller's to say. */
const connectPatience = 10_000

/**
 * Sends one GET to the judged addresses of a target, under the name that was asked for, and to no others. The
 * connection is made for this request and ends with it: none is shared, and no proxy and no TLS session has a part.
 * @param read takes what it needs of the answer before the connection ends. @throws OutboundError
 */
export async function sendTo<T>(
  { url, addresses, port }: Target,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const connect = buildConnector({
    lookup: pinnedTo(addresses),
    timeout: connectPatience,
    maxCachedSessions: 0,
    allowH2: false,
  })
  const client = new Client(url.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, done) =>
      connect({ ...options, port: `${port}` }, (error: Error | null, socket) => {
        if (error) done(notConnected(error, url.protocol), null)
        else done(null, socket as NonNullable<typeof socket>)
      }),
  })
  try {
    return await read(
      await client.request({ method: 'GET', path: `${url.pathname}${url.search}`, headers, signal, reset: true }),
    )
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause
    throw new OutboundError(reasonOf(cause), `${url.hostname} did not answer`, { cause })
  } finally {
    await client.destroy()
  }
}

type Answer = (error: null, found: LookupAddress[] | string, family?: number) => void

/** Answers a socket's look-up with addresses that are known already. */
const pinnedTo = (addresses: readonly string[]) => (_name: string, options: LookupOptions, answer: Answer) => {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = found
  if (options.all === true || first === undefined) answer(null, found)
  else answer(null, first.address, first.family)
}

function notConnected(cause: Error, protocol: string): OutboundError {
  const { code, syscall } = cause as NodeJS.ErrnoException
  const reason =
    cause instanceof errors.ConnectTimeoutError
      ? 'timeout'
      : cause instanceof AggregateError || syscall === 'connect' || protocol === 'http:'
        ? 'unreachable'
        : 'tls_failed'
  return new OutboundError(reason, `no connection (${code ?? cause.name})`, { cause })
}

/** Which reason an error of the connection or of its body stands for. */
export function reasonOf(cause: unknown): OutboundReason {
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  if (cause instanceof errors.HeadersOverflowError || code === 'HPE_HEADER_OVERFLOW') return 'too_large'
  if (code.startsWith('HPE_')) return 'http_status'
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'tls_failed'
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR_ZSTD')) return 'content_type'
  return 'unreachable'
}
