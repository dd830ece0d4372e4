import type { Dispatcher } from 'undici'
import type { ByteRange } from '../../tools/results/api-request.ts'

type RequestController = Dispatcher.DispatchController
type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A response of the API, with the part of its body that was read. */
export interface UpstreamAnswer {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly bytes: Buffer
  /** The offset of `bytes` in the body. */
  readonly start: number
  readonly complete: boolean
  /** The size of the whole body in bytes; null if the body was not read to its end. */
  readonly size: number | null
}

/** The requested part of a body is larger than the limit for memory. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/** The options of an `AnswerReader`. */
interface ReadOptions {
  /** Selects the part of the body to read, from the status and the headers. */
  readonly selectPart: (status: number, headers: ResponseHeaders) => ByteRange
  /** The highest number of bytes that are kept. */
  readonly maxBytes: number
  /** Aborting the signal closes the connection; the promise then rejects with the reason of the signal. */
  readonly signal: AbortSignal
}

const notReadError: Error = new Error('The rest of the answer is not read')

/**
 * Reads one response into memory without a stream in between. It keeps the range `[from, to)` of the body and reads
 * only as far as it must to know whether the body goes on. Exactly one of the two callbacks is called, once.
 */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #options: ReadOptions
  readonly #resolve: (answer: UpstreamAnswer) => void
  readonly #reject: (cause: unknown) => void
  readonly #chunks: Buffer[] = []
  #controller: RequestController | null = null
  #isOver = false
  #status = 0
  #headers: ResponseHeaders = {}
  #byteRange: ByteRange = { from: 0, to: Infinity }
  #position = 0
  #keptBytes = 0

  constructor(options: ReadOptions, resolve: (answer: UpstreamAnswer) => void, reject: (cause: unknown) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    options.signal.addEventListener('abort', this)
  }

  /** Handles the abort of the signal, which may come before the request is sent. */
  handleEvent(): void {
    this.#fail(this.#options.signal.reason)
  }

  onRequestStart(controller: RequestController): void {
    if (this.#isOver) controller.abort(notReadError)
    else this.#controller = controller
  }

  onResponseStart(_: RequestController, status: number, headers: ResponseHeaders): void {
    // An interim response (1xx) says nothing about the final response.
    if (this.#isOver || status < 200) return
    this.#status = status
    this.#headers = headers
    this.#byteRange = this.#options.selectPart(status, headers)
  }

  onResponseData(_: RequestController, chunk: Buffer): void {
    if (this.#isOver) return
    const { from, to } = this.#byteRange
    const begin = Math.max(0, from - this.#position)
    const end = Math.min(chunk.length, to - this.#position)
    this.#position += chunk.length
    if (end > begin) {
      this.#chunks.push(begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end))
      this.#keptBytes += end - begin
    }
    if (this.#keptBytes > this.#options.maxBytes) this.#fail(new TooLargeError())
    else if (this.#position > to) this.#succeed(false)
  }

  onResponseEnd(): void {
    if (!this.#isOver) this.#succeed(true)
  }

  onResponseError(_: RequestController | null, cause: Error): void {
    if (!this.#isOver) this.#fail(cause)
  }

  #succeed(complete: boolean): void {
    const [first] = this.#chunks
    this.#finish(complete)
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      bytes: first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks),
      start: this.#byteRange.from,
      complete,
      size: complete ? this.#position : null,
    })
  }

  #fail(cause: unknown): void {
    this.#finish(false)
    this.#reject(cause)
  }

  #finish(complete: boolean): void {
    this.#isOver = true
    this.#options.signal.removeEventListener('abort', this)
    if (!complete) this.#controller?.abort(notReadError)
  }
}
