import { Pool, errors, type Dispatcher } from 'undici'
import type { ApiAnswer, ApiRequest, ByteRange } from '../../tools/results/api-request.ts'
import { DocumentError } from '../../tools/openapi.ts'
import { createTraceHex } from '../shared/trace-hex.ts'
import type { RequestContext } from './request-context.ts'
import { AnswerReader, TooLargeError, type UpstreamAnswer } from './answer-reader.ts'

/** The API gave no response that can be passed on. `status` is the one that a gateway would answer. */
export class UpstreamError extends Error {
  override name = 'UpstreamError'
  readonly status: 502 | 503 | 504

  constructor(status: 502 | 503 | 504, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** The largest body that is kept in memory, in bytes. */
const maxBodyBytes = 64 * 1024 * 1024

const connectTimeoutMs = 5_000
const headersTimeoutMs = 60_000
const bodyTimeoutMs = 60_000
/** The longest silence on an event stream; the API sends a comment at least every 15 s. */
const eventTimeoutMs = 45_000

type CallerContext = Pick<RequestContext, 'headers' | 'clientAddress' | 'traceId' | 'traceFlags'>
type ResponseHeaders = UpstreamAnswer['headers']

const wholeBody: ByteRange = { from: 0, to: Infinity }

/** A client of the API's origin, the only one that is ever called. It follows no redirect and adds no credential. */
export class Upstream {
  #pool: Pool | null = null
  #origin = ''
  #base = ''

  /** @param apiUrl null if the address is known only later */
  constructor(apiUrl: string | null) {
    if (apiUrl !== null) this.setAddress(apiUrl)
  }

  /**
   * Sets the address of the API. It can be set again with another path, but never with another origin, because the
   * callers' credentials are meant for this one.
   * @throws DocumentError for another origin
   */
  setAddress(apiUrl: string): void {
    const { origin, pathname } = new URL(apiUrl)
    if (this.#pool !== null && origin !== this.#origin)
      throw new DocumentError(`its servers name ${origin} now, and this process calls only ${this.#origin}`)
    this.#base = pathname.replace(/\/+$/, '')
    this.#origin = origin
    this.#pool ??= new Pool(origin, {
      connections: 256,
      pipelining: 1,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: headersTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
    })
  }

  /**
   * Calls the API and reads the part of the response body that `selectRange` chooses.
   * @param selectRange gets the status and the Content-Type
   * @throws UpstreamError, or the signal's reason
   */
  async send(
    request: ApiRequest,
    caller: CallerContext,
    signal: AbortSignal,
    selectRange: (status: number, mediaType: string | null) => ByteRange = () => wholeBody,
  ): Promise<ApiAnswer> {
    const selectPart = (status: number, headers: ResponseHeaders) =>
      selectRange(status, getHeader(headers, 'content-type'))
    const { status, headers, bytes, start, complete, size } = await this.#dispatchAndRead(
      this.#createOptions(request, caller, bodyTimeoutMs),
      signal,
      selectPart,
    )
    return {
      status,
      mediaType: getHeader(headers, 'content-type'),
      location: this.#getApiPath(getHeader(headers, 'location')),
      retryAfter: getHeader(headers, 'retry-after'),
      isReplayed: getHeader(headers, 'idempotency-replayed') === 'true',
      bytes,
      start,
      complete,
      size: size ?? getContentLength(headers),
    }
  }

  /** Opens an event stream and returns its chunks; null if the API answers anything else. @throws like `send` */
  async openEventStream(
    path: string,
    caller: CallerContext,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array> | null> {
    const eventRequest: ApiRequest = { method: 'GET', path, accept: 'text/event-stream', body: null }
    try {
      const { statusCode, headers, body } = await this.#getPool().request({
        ...this.#createOptions(eventRequest, caller, eventTimeoutMs),
        signal,
      })
      if (statusCode === 200 && /^text\/event-stream\b/i.test(getHeader(headers, 'content-type') ?? ''))
        return readChunks(body, signal)
      await body.dump({ limit: 64 * 1024 })
      return null
    } catch (cause) {
      throw toUpstreamError(cause, signal)
    }
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  #getPool(): Pool {
    if (this.#pool === null) throw new Error('the address of the API is not known before its document')
    return this.#pool
  }

  #createOptions(
    { method, path, accept, body, idempotency }: ApiRequest,
    caller: CallerContext,
    timeoutMs: number,
  ): Dispatcher.DispatchOptions {
    const headers: Record<string, string> = {
      ...caller.headers,
      accept,
      'x-forwarded-for': caller.clientAddress,
      traceparent: `00-${caller.traceId}-${createTraceHex(8)}-${caller.traceFlags}`,
    }
    if (body) headers['content-type'] = body.mediaType
    if (idempotency) headers['idempotency-key'] = idempotency.key
    if (idempotency?.window) headers['idempotency-window'] = idempotency.window
    return { method, path: this.#base + path, headers, body: body?.content ?? null, bodyTimeout: timeoutMs }
  }

  async #dispatchAndRead(
    options: Dispatcher.DispatchOptions,
    signal: AbortSignal,
    selectPart: (status: number, headers: ResponseHeaders) => ByteRange,
  ): Promise<UpstreamAnswer> {
    if (signal.aborted) throw signal.reason
    try {
      return await new Promise<UpstreamAnswer>((resolve, reject) => {
        this.#getPool().dispatch(
          options,
          new AnswerReader({ selectPart, maxBytes: maxBodyBytes, signal }, resolve, reject),
        )
      })
    } catch (cause) {
      throw toUpstreamError(cause, signal)
    }
  }

  /** Returns the path of a Location header, relative to the API's address. */
  #getApiPath(location: string | null): string | null {
    const url = location === null ? null : URL.parse(location, 'http://api.invalid')
    if (!url) return null
    const path = url.pathname + url.search
    return this.#base !== '' && path.startsWith(`${this.#base}/`) ? path.slice(this.#base.length) : path
  }
}

/** Yields the chunks of a body and converts its errors. Leaving the loop closes the connection. */
async function* readChunks(body: Dispatcher.ResponseData['body'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array
  } catch (cause) {
    throw toUpstreamError(cause, signal)
  }
}

function toUpstreamError(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (cause instanceof TooLargeError) {
    const advice = 'read it in ranges (#bytes=<first>-<last>)'
    return new UpstreamError(502, `The answer is larger than ${maxBodyBytes} bytes; ${advice}`)
  }
  if (cause instanceof errors.HeadersTimeoutError || cause instanceof errors.BodyTimeoutError) {
    return new UpstreamError(504, 'The API did not answer in time', cause)
  }
  const unreachable =
    cause instanceof errors.ConnectTimeoutError
    || ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(getErrorCode(cause))
  return unreachable
    ? new UpstreamError(503, 'The API cannot be reached', cause)
    : new UpstreamError(502, 'The connection to the API broke', cause)
}

const getErrorCode = (cause: unknown) => (cause instanceof Error && 'code' in cause ? String(cause.code) : '')

function getHeader(headers: ResponseHeaders, name: string): string | null {
  const value = headers[name]
  return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
}

/** Returns the size of the whole body if the API states it. */
function getContentLength(headers: ResponseHeaders): number | null {
  const length = Number(getHeader(headers, 'content-length') ?? NaN)
  return Number.isSafeInteger(length) ? length : null
}
