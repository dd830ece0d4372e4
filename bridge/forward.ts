import { randomUUID } from 'node:crypto'
import { Pool, errors, type Dispatcher } from 'undici'
import type { ApiAnswer, ApiRequest, Window } from '../tools/request.ts'
import type { Exchange } from './exchange.ts'
import { Reading, TooLargeError, type Answered } from './reading.ts'

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
type Headers = Answered['headers']

const whole: Window = { from: 0, to: Infinity }

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
    window: (status: number, mediaType: string | null) => Window = () => whole,
  ): Promise<ApiAnswer> {
    const part = (status: number, headers: Headers) => window(status, header(headers, 'content-type'))
    const { status, headers, bytes, start, complete, size } = await this.#read(
      this.#options(request, whose, bodyTimeout),
      signal,
      part,
    )
    return {
      status,
      mediaType: header(headers, 'content-type'),
      location: this.#pathOf(header(headers, 'location')),
      retryAfter: header(headers, 'retry-after'),
      bytes,
      start,
      complete,
      size: size ?? lengthOf(headers),
    }
  }

  /** The chunks of an event stream; null where the API answers anything else. Throws like `send`. */
  async events(path: string, whose: Whose, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | null> {
    const asked: ApiRequest = { method: 'GET', path, accept: 'text/event-stream', body: null }
    try {
      const { statusCode, headers, body } = await this.#pool.request({
        ...this.#options(asked, whose, eventTimeout),
        signal,
      })
      if (statusCode === 200 && /^text\/event-stream\b/i.test(header(headers, 'content-type') ?? ''))
        return mapped(body, signal)
      await body.dump({ limit: 64 * 1024 })
      return null
    } catch (cause) {
      throw translated(cause, signal)
    }
  }

  /** For the bridge itself: no caller, so no credentials. */
  async fetchOwn(path: string, headers: Record<string, string>, signal: AbortSignal) {
    const options = { method: 'GET', path: this.#base + path, headers } as const
    const answer = await this.#read(options, signal, () => whole)
    return { status: answer.status, etag: header(answer.headers, 'etag'), bytes: answer.bytes }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  #options({ method, path, accept, body }: ApiRequest, whose: Whose, patience: number): Dispatcher.DispatchOptions {
    const headers: Record<string, string> = {
      ...whose.headers,
      accept,
      'x-forwarded-for': whose.address,
      'traceparent': `00-${whose.trace}-${randomUUID().replaceAll('-', '').slice(16)}-01`,
    }
    if (body) headers['content-type'] = body.mediaType
    return { method, path: this.#base + path, headers, body: body?.content ?? null, bodyTimeout: patience }
  }

  async #read(
    options: Dispatcher.DispatchOptions,
    signal: AbortSignal,
    part: (status: number, headers: Headers) => Window,
  ): Promise<Answered> {
    if (signal.aborted) throw signal.reason
    try {
      return await new Promise<Answered>((resolve, reject) => {
        this.#pool.dispatch(options, new Reading({ part, most: mostBytes, signal }, resolve, reject))
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

/** The chunks of a body, with its failures in our own words. Leaving the loop closes the connection. */
async function* mapped(body: Dispatcher.ResponseData['body'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array
  } catch (cause) {
    throw translated(cause, signal)
  }
}

function translated(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (cause instanceof TooLargeError) {
    const advice = 'read it in ranges (#bytes=<first>-<last>)'
    return new UpstreamError(502, `The answer is larger than ${mostBytes} bytes; ${advice}`)
  }
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

function header(headers: Headers, name: string): string | null {
  const value = headers[name]
  return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
}

/** Of the whole body, where the API states it. */
function lengthOf(headers: Headers): number | null {
  const length = Number(header(headers, 'content-length') ?? NaN)
  return Number.isSafeInteger(length) ? length : null
}
