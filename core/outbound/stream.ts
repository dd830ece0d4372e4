import type { Readable } from 'node:stream'
import type { ResponseHandler } from './send-request.ts'
import { OutboundError, type OutboundStreamOptions, type StreamedResponse } from '../kernel/ports/outbound.ts'
import { streamBody } from './body.ts'
import { getOutboundReason } from './connect.ts'
import { followRedirects } from './follow-redirects.ts'
import type { FetchGuard } from './target.ts'

/**
 * Fetches an address and streams its body. The timeouts apply to the source, not to the reader: while `handleResponse`
 * works on a chunk, only the timeout of the whole fetch runs. @throws OutboundError, or what `handleResponse` throws
 */
export async function streamUrl<T>(
  address: string,
  options: OutboundStreamOptions,
  guard: FetchGuard,
  handleResponse: (response: StreamedResponse) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted()
  const timer = new StreamTimer(options)
  const failure: { cause?: unknown } = {}
  const read = async (response: StreamedResponse): Promise<T> => {
    try {
      return await handleResponse(response)
    } catch (cause) {
      // Without this, the pipeline below would report the error as a failure of the source.
      failure.cause = cause
      throw cause
    }
  }
  try {
    const handleBegun: ResponseHandler<T> = async ({ status, type, headers }, body, encoding) => {
      timer.markBegun()
      if (!body) return read({ status, type, headers, body: null })
      const taken: T[] = []
      await streamBody(timer.timePieces(body), encoding, options.maxBytes, async (pieces) => {
        taken.push(await read({ status, type, headers, body: translateErrors(pieces, timer) }))
      })
      return taken[0] as T
    }
    return await timer.raceUntilBegun(followRedirects(address, options, guard, timer.signal, handleBegun))
  } catch (cause) {
    options.signal?.throwIfAborted()
    throw failure.cause ?? (timer.signal.aborted ? createTimeoutError(cause) : cause)
  } finally {
    timer.stop()
  }
}

const createTimeoutError = (cause?: unknown) => new OutboundError('timeout', 'no whole answer came in time', { cause })

/** Yields the chunks of a body and converts its errors to OutboundError. */
async function* translateErrors(pieces: AsyncIterable<Buffer>, clock: StreamTimer): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (cause) {
    if (clock.signal.aborted) throw createTimeoutError(cause)
    throw cause instanceof OutboundError
      ? cause
      : new OutboundError(getOutboundReason(cause), 'the body broke off', { cause })
  }
}

/** The timeouts of one fetch. */
class StreamTimer {
  readonly #controller = new AbortController()
  readonly #timeout = Promise.withResolvers<never>()
  readonly #totalTimer: NodeJS.Timeout
  readonly #idleTimeoutMs: number
  readonly #outerSignal: AbortSignal | undefined
  readonly #abortFetch = () => {
    this.#controller.abort()
    if (!this.#hasBegun) this.#timeout.reject(createTimeoutError())
  }
  #idleTimer: NodeJS.Timeout | undefined
  #hasBegun = false

  constructor({ idleTimeoutMs, timeoutMs, signal }: OutboundStreamOptions) {
    this.#idleTimeoutMs = idleTimeoutMs
    this.#totalTimer = setTimeout(this.#abortFetch, timeoutMs)
    this.#outerSignal = signal
    signal?.addEventListener('abort', this.#abortFetch, { once: true })
    this.#timeout.promise.catch(() => undefined)
    this.#startIdleTimer()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * Waits for the response to begin or for a timeout. A DNS lookup cannot be cancelled, so it is left running. Once the
   * response has begun, `work` is awaited, because it has to clean up.
   */
  raceUntilBegun<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#timeout.promise])
  }

  markBegun(): void {
    this.#hasBegun = true
    this.#stopIdleTimer()
  }

  async *timePieces(body: Readable): AsyncGenerator<Buffer> {
    this.#startIdleTimer()
    for await (const piece of body as AsyncIterable<Buffer>) {
      this.#stopIdleTimer()
      yield piece
      this.#startIdleTimer()
    }
    this.#stopIdleTimer()
  }

  stop(): void {
    this.#stopIdleTimer()
    clearTimeout(this.#totalTimer)
    this.#outerSignal?.removeEventListener('abort', this.#abortFetch)
  }

  #startIdleTimer(): void {
    this.#stopIdleTimer()
    this.#idleTimer = setTimeout(this.#abortFetch, this.#idleTimeoutMs)
  }

  #stopIdleTimer(): void {
    clearTimeout(this.#idleTimer)
  }
}
