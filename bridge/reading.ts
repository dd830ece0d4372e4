import type { Dispatcher } from 'undici'
import type { Window } from '../tools/request.ts'

type Controller = Dispatcher.DispatchController
type Headers = Readonly<Record<string, string | string[] | undefined>>

/** An answer of the API as it was read. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** Where `bytes` begin in the body. */
  readonly start: number
  readonly complete: boolean
  /** Bytes of the whole body; null where it was not read to its end. */
  readonly size: number | null
}

/** More of a body was asked for than is kept in memory. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/** What a reading needs beside its callbacks. */
interface Wanted {
  /** Which part of the body, told the status and the headers. */
  readonly part: (status: number, headers: Headers) => Window
  /** The most that is kept, in bytes. */
  readonly most: number
  /** Aborted: the connection is closed, and the reading fails with the reason. */
  readonly signal: AbortSignal
}

const done: Error = new Error('The rest of the answer is not read')

/**
 * Reads one answer into memory, without a stream in between: `[from, to)` of the body, and not more of it than needed to
 * know whether it goes on. Exactly one of the callbacks is called, once.
 */
export class Reading implements Dispatcher.DispatchHandler {
  readonly #wanted: Wanted
  readonly #resolve: (answer: Answered) => void
  readonly #reject: (cause: unknown) => void
  readonly #chunks: Buffer[] = []
  #controller: Controller | null = null
  #over = false
  #status = 0
  #headers: Headers = {}
  #part: Window = { from: 0, to: Infinity }
  #position = 0
  #kept = 0

  constructor(wanted: Wanted, resolve: (answer: Answered) => void, reject: (cause: unknown) => void) {
    this.#wanted = wanted
    this.#resolve = resolve
    this.#reject = reject
    wanted.signal.addEventListener('abort', this)
  }

  /** Of the signal: it may come before the request is on its way. */
  handleEvent(): void {
    this.#fail(this.#wanted.signal.reason)
  }

  onRequestStart(controller: Controller): void {
    if (this.#over) controller.abort(done)
    else this.#controller = controller
  }

  onResponseStart(_: Controller, status: number, headers: Headers): void {
    // An answer before the answer (1xx) says nothing of it.
    if (this.#over || status < 200) return
    this.#status = status
    this.#headers = headers
    this.#part = this.#wanted.part(status, headers)
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (this.#over) return
    const { from, to } = this.#part
    const begin = Math.max(0, from - this.#position)
    const end = Math.min(chunk.length, to - this.#position)
    this.#position += chunk.length
    if (end > begin) {
      this.#chunks.push(begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end))
      this.#kept += end - begin
    }
    if (this.#kept > this.#wanted.most) this.#fail(new TooLargeError())
    else if (this.#position > to) this.#succeed(false)
  }

  onResponseEnd(): void {
    if (!this.#over) this.#succeed(true)
  }

  onResponseError(_: Controller | null, cause: Error): void {
    if (!this.#over) this.#fail(cause)
  }

  #succeed(complete: boolean): void {
    const [first] = this.#chunks
    this.#finish(complete)
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      bytes: first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks),
      start: this.#part.from,
      complete,
      size: complete ? this.#position : null,
    })
  }

  #fail(cause: unknown): void {
    this.#finish(false)
    this.#reject(cause)
  }

  #finish(complete: boolean): void {
    this.#over = true
    this.#wanted.signal.removeEventListener('abort', this)
    if (!complete) this.#controller?.abort(done)
  }
}
