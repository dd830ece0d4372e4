import { randomUUID } from 'node:crypto'
import { Pool, errors, type Dispatcher } from 'undici'
import type { ApiAnswer, ApiRequest, Window } from '../tools/request.ts'
import type { Exchange } from './exchange.ts'

/** The API gave no answer that could be handed on. `status` is the one a gateway would answer. */
export class UpstreamError extends Error {
  override name = 'UpstreamError'
  readonly status: 502 | 503 | 504

  constructor(status: 502 | 503 | 504, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** The most of a body that is kept in memory, in bytes. */
const mostBytes = 64 * 1024 * 1024

const connectTimeout = 5_000
const headersTimeout = 60_000
const bodyTimeout = 60_000
/** A comment comes at least every 15 s on an event stream. */
const eventTimeout = 45_000

type Whose = Pick<Exchange, 'headers' | 'address' | 'trace'>

/** The one origin that is ever called. No redirect is followed and no credential is added. */
export class Upstream {
  readonly #pool: Pool
  readonly #base: string

  constructor(apiUrl: string) {
    const url = new URL(apiUrl)
    this.#base = url.pathname.replace(/\/+$/, '')
    this.#pool = new Pool(url.origin, {
      connections: 256,
      pipelining: 1,
      connect: { timeout: connectTimeout },
      headersTimeout,
      bodyTimeout,
    })
  }

  /**
   * Calls the API and reads the part of the answer that `window` asks for. Throws UpstreamError, or the signal's
   * reason.
   * @param window told the status and the Content-Type.
   */
  async send(
    request: ApiRequest,
    whose: Whose,
    signal: AbortSignal,
    window: (status: number, mediaType: string | null) => Window = () => ({ from: 0, to: Infinity }),
  ): Promise<ApiAnswer> {
    const response = await this.#request(request, whose, signal, bodyTimeout)
    const mediaType = header(response, 'content-type')
    const wanted = window(response.statusCode, mediaType)
    const part = await read(response.body, wanted, signal)
    const length = Number(header(response, 'content-length') ?? NaN)
    return {
      status: response.statusCode,
      mediaType,
      location: this.#pathOf(header(response, 'location')),
      retryAfter: header(response, 'retry-after'),
      bytes: part.bytes,
      start: wanted.from,
      complete: part.complete,
      size: part.size ?? (Number.isSafeInteger(length) ? length : null),
    }
  }

  /** The chunks of an event stream; null where the API answers anything else. Throws like `send`. */
  async events(path: string, whose: Whose, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | null> {
    const response = await this.#request(
      { method: 'GET', path, accept: 'text/event-stream', body: null },
      whose,
      signal,
      eventTimeout,
    )
    if (response.statusCode === 200 && /^text\/event-stream\b/i.test(header(response, 'content-type') ?? '')) {
      return mapped(response.body, signal)
    }
    await response.body.dump({ limit: 64 * 1024 })
    return null
  }

  /** For the bridge itself: no caller, so no credentials. */
  async fetchOwn(path: string, headers: Record<string, string>, signal: AbortSignal) {
    const response = await this.#pool.request({ method: 'GET', path: this.#base + path, headers, signal })
    const { bytes } = await read(response.body, { from: 0, to: Infinity }, signal)
    return { status: response.statusCode, etag: header(response, 'etag'), bytes }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  async #request(request: ApiRequest, whose: Whose, signal: AbortSignal, patience: number) {
    const headers: Record<string, string> = {
      ...whose.headers,
      accept: request.accept,
      'x-forwarded-for': whose.address,
      traceparent: `00-${whose.trace}-${randomUUID().replaceAll('-', '').slice(16)}-01`,
    }
    if (request.body) headers['content-type'] = request.body.mediaType
    try {
      return await this.#pool.request({
        method: request.method,
        path: this.#base + request.path,
        headers,
        body: request.body?.content ?? null,
        signal,
        bodyTimeout: patience,
      })
    } catch (cause) {
      throw translated(cause, signal)
    }
  }

  /** The path of a Location header below the API's address. */
  #pathOf(location: string | null): string | null {
    const url = location === null ? null : URL.parse(location, 'http://api.invalid')
    if (!url) return null
    const path = url.pathname + url.search
    return this.#base !== '' && path.startsWith(`${this.#base}/`) ? path.slice(this.#base.length) : path
  }
}

type Body = Dispatcher.ResponseData['body']

/** Reads `[from, to)`, and not more of the body than needed to know whether it goes on. */
async function read(body: Body, { from, to }: Window, signal: AbortSignal) {
  const chunks: Uint8Array[] = []
  let position = 0
  let kept = 0
  for await (const chunk of mapped(body, signal)) {
    const begin = Math.max(0, from - position)
    const end = Math.min(chunk.length, to - position)
    position += chunk.length
    if (end > begin) {
      chunks.push(chunk.subarray(begin, end))
      kept += end - begin
    }
    if (kept > mostBytes)
      throw new UpstreamError(
        502,
        `The answer is larger than ${mostBytes} bytes; read it in ranges (#bytes=<first>-<last>)`,
      )
    if (position > to) return { bytes: Buffer.concat(chunks), complete: false, size: null }
  }
  return { bytes: Buffer.concat(chunks), complete: true, size: position }
}

/** The chunks of a body, with its failures in our own words. Leaving the loop closes the connection. */
async function* mapped(body: Body, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array
  } catch (cause) {
    throw translated(cause, signal)
  }
}

function translated(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (cause instanceof errors.HeadersTimeoutError || cause instanceof errors.BodyTimeoutError) {
    return new UpstreamError(504, 'The API did not answer in time', cause)
  }
  const unreachable =
    cause instanceof errors.ConnectTimeoutError
    || ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(codeOf(cause))
  return unreachable
    ? new UpstreamError(503, 'The API cannot be reached', cause)
    : new UpstreamError(502, 'The connection to the API broke', cause)
}

const codeOf = (cause: unknown) => (cause instanceof Error && 'code' in cause ? String(cause.code) : '')

function header(response: Dispatcher.ResponseData, name: string): string | null {
  const value = response.headers[name]
  return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
}
