import type { Readable } from 'node:stream'
import type { Take } from './ask.ts'
import { OutboundError, type StreamOptions, type Streamed } from '../kernel/parts.ts'
import { pourBody } from './body.ts'
import { reasonOf } from './connect.ts'
import { followTo } from './follow.ts'
import type { Guard } from './target.ts'

/**
 * A fetch whose body is read while it comes. The limits of time stop the source, never the reader: while `take` is busy
 * with what it has, no clock but the last one runs. @throws OutboundError, or what `take` throws
 */
export async function streamFrom<T>(
  address: string, options: StreamOptions, guard: Guard, take: (answer: Streamed) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted()
  const clock = new Clock(options)
  const failure: { cause?: unknown } = {}
  const read = async (answer: Streamed): Promise<T> => {
    try {
      return await take(answer)
    } catch (cause) {
      // The pipeline below would take it for a failure of the source.
      failure.cause = cause
      throw cause
    }
  }
  try {
    const begun: Take<T> = async ({ status, type, headers }, body, encoding) => {
      clock.begin()
      if (!body) return read({ status, type, headers, body: null })
      const taken: T[] = []
      await pourBody(clock.pieces(body), encoding, options.most, async (pieces) => {
        taken.push(await read({ status, type, headers, body: explained(pieces, clock) }))
      })
      return taken[0] as T
    }
    return await clock.untilBegun(followTo(address, options, guard, clock.signal, begun))
  } catch (cause) {
    options.signal?.throwIfAborted()
    throw failure.cause ?? (clock.signal.aborted ? late(cause) : cause)
  } finally {
    clock.stop()
  }
}

const late = (cause?: unknown) => new OutboundError('timeout', 'no whole answer came in time', { cause })

/** The pieces, and what goes wrong with them in our own words. */
async function* explained(pieces: AsyncIterable<Buffer>, clock: Clock): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (cause) {
    if (clock.signal.aborted) throw late(cause)
    throw cause instanceof OutboundError ? cause : new OutboundError(reasonOf(cause), 'the body broke off', { cause })
  }
}

/** The limits of time of one fetch. */
class Clock {
  readonly #controller = new AbortController()
  readonly #late = Promise.withResolvers<never>()
  readonly #patience: NodeJS.Timeout
  readonly #firstByte: number
  readonly #outer: AbortSignal | undefined
  readonly #end = () => {
    this.#controller.abort()
    if (!this.#begun) this.#late.reject(late())
  }
  #idle: NodeJS.Timeout | undefined
  #begun = false

  constructor({ firstByte, patience, signal }: StreamOptions) {
    this.#firstByte = firstByte
    this.#patience = setTimeout(this.#end, patience)
    this.#outer = signal
    signal?.addEventListener('abort', this.#end, { once: true })
    this.#late.promise.catch(() => undefined)
    this.#wait()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** A look-up cannot be called off, so nobody waits for it; what has begun is waited for, as it has to clean up. */
  untilBegun<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#late.promise])
  }

  begin(): void {
    this.#begun = true
    this.#rest()
  }

  async *pieces(body: Readable): AsyncGenerator<Buffer> {
    this.#wait()
    for await (const piece of body as AsyncIterable<Buffer>) {
      this.#rest()
      yield piece
      this.#wait()
    }
    this.#rest()
  }

  stop(): void {
    this.#rest()
    clearTimeout(this.#patience)
    this.#outer?.removeEventListener('abort', this.#end)
  }

  #wait(): void {
    this.#rest()
    this.#idle = setTimeout(this.#end, this.#firstByte)
  }

  #rest(): void {
    clearTimeout(this.#idle)
  }
}
